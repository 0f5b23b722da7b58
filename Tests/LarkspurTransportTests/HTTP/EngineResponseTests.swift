import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

@Suite("Responses of the engine") struct EngineResponseTests {
    private static let url = URL(string: "http://localhost/a/b.txt")

    private static let examples: [[String: String]] = [
        [:],
        ["Content-Type": "text/html; charset=UTF-8", "Content-Length": "12", "X-lower": "a"],
        [
            "Content-Type": #"application/json; charset="iso-8859-1""#,
            "Content-Disposition": "attachment; filename=x.json",
        ],
        ["Content-Type": "nonsense", "Content-Length": "no number"],
        ["Set-Cookie": "a=b, c=d", "Etag": "\"1\"", "WWW-Authenticate": "Basic realm=r"],
    ]

    @Test("Only the value 1 of the environment variable switches EngineResponse off")
    func environment() {
        #expect(EngineResponse.isSwitchedOff(by: ["LARKSPUR_ORDINARY_RESPONSES": "1"]))
        for environment in [[:], ["LARKSPUR_ORDINARY_RESPONSES": "0"], ["LARKSPUR_ORDINARY_RESPONSES": ""]] {
            #expect(!EngineResponse.isSwitchedOff(by: environment))
        }
    }

    @Test("Of two Content-Type fields, the last valid one sets the type, and both can be read")
    func twoContentTypes() throws {
        let url = try #require(Self.url)
        let fields = ["Content-Type": "text/plain; charset=utf-8, application/json, nonsense"]
        let response = try #require(EngineResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", fields: fields))
        #expect(response.mimeType == "application/json")
        #expect(response.textEncodingName == nil)
        #expect(response.value(forHTTPHeaderField: "Content-Type") == fields["Content-Type"])
    }

    @Test("A response equals Foundation's response with the same fields", arguments: examples)
    func isEqualToFoundations(fields: [String: String]) throws {
        let url = try #require(Self.url)
        let ours = try #require(EngineResponse(url: url, statusCode: 206, httpVersion: "HTTP/1.1", fields: fields))
        let theirs = try #require(
            HTTPURLResponse(url: url, statusCode: 206, httpVersion: "HTTP/1.1", headerFields: fields)
        )

        #expect(ours.statusCode == theirs.statusCode)
        #expect(ours.url == theirs.url)
        #expect(ours.allHeaderFields as? [String: String] == theirs.allHeaderFields as? [String: String])
        for name in fields.keys {
            #expect(ours.value(forHTTPHeaderField: name.lowercased()) == theirs.value(forHTTPHeaderField: name))
        }
        #expect(ours.mimeType == theirs.mimeType)
        #expect(ours.textEncodingName == theirs.textEncodingName)
        #expect(ours.expectedContentLength == theirs.expectedContentLength)
        // Without a name from the server, the URL's is better than Foundation's "Unknown".
        let name = theirs.suggestedFilename
        #expect(ours.suggestedFilename == (name == "Unknown" ? "b.txt" : name))
        #expect(ours.isEqual(theirs))
    }

    @Test("A response can be archived, and is read as an ordinary response")
    func archive() throws {
        let url = try #require(Self.url)
        let fields = ["Content-Type": "text/plain", "X-A": "b"]
        let ours = try #require(EngineResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", fields: fields))

        let data = try NSKeyedArchiver.archivedData(withRootObject: ours, requiringSecureCoding: true)
        let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPURLResponse.self, from: data)

        #expect(copy?.value(forHTTPHeaderField: "X-A") == "b")
        #expect(copy?.mimeType == "text/plain")
    }
}
