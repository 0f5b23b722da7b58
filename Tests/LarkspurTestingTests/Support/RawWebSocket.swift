import Foundation
import HTTPSyntax
import Testing

@testable import LarkspurTesting

/// A WebSocket client on a bare socket.
final class RawWebSocket {
    let client: RawClient
    let agreement: WebSocketHandshake.Agreement
    private var writer = WebSocketWriter(role: .client)
    private var reader = WebSocketReader(role: .client)
    private var events: ArraySlice<WebSocketEvent> = []

    init(_ server: LoopbackServer, _ path: String, protocols: [String] = []) throws {
        let handshake = try WebSocketHandshake(protocols: protocols, offer: .init())
        client = try RawClient(server)
        try client.get(path, headers: handshake.requestFields.map { "\($0.name): \($0.value)\r\n" }.joined())
        let response = try client.response()
        agreement = try handshake.agreement(
            version: "HTTP/1.1",
            status: response.status,
            fields: response.fields.map { (name: $0.name, value: $0.value) }
        )
    }

    /// The next event; nil at the end of the stream.
    func next() throws -> WebSocketEvent? {
        while true {
            if let event = events.popFirst() { return event }
            let bytes = try client.readSome()
            if bytes.isEmpty { return nil }
            events = reader.read([UInt8](bytes))[...]
        }
    }

    func send(_ message: WebSocketMessage) throws {
        var bytes: [UInt8] = []
        try writer.write(message, into: &bytes)
        try client.send(Data(bytes))
    }

    func ping(_ content: Data) throws {
        var bytes: [UInt8] = []
        try writer.writePing(content, into: &bytes)
        try client.send(Data(bytes))
    }

    func pong(_ content: Data) throws {
        var bytes: [UInt8] = []
        try writer.writePong(content, into: &bytes)
        try client.send(Data(bytes))
    }

    func close(code: UInt16? = 1000, reason: String = "") throws {
        var bytes: [UInt8] = []
        try writer.writeClose(code: code, reason: reason, into: &bytes)
        try client.send(Data(bytes))
    }
}
