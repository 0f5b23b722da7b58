// WebSockets are no public API: they need the attribute, and Apple's Foundation.
@_spi(WebSocket) import Alamofire
import Foundation

struct Note: Codable, Sendable {
    var author: String
    var text: String
}

let request = AF.webSocketRequest(to: "wss://chat.example.com/notes", parameters: ["room": "tea"])
let socket = request.webSocketTask()
let notes = socket.streamingDecodable(Note.self)
let note = try JSONEncoder().encode(Note(author: "Ada", text: "Hello"))
try await socket.send(.string(String(decoding: note, as: UTF8.self)))
for await note in notes {
    print("\(note.author): \(note.text)")
    if note.text == "Goodbye" { break }
}
socket.close(sending: .normalClosure)
