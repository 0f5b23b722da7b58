import Foundation
import Testing

@testable import LarkspurTesting

@Suite struct FaultTests {
    typealias Fault = LoopbackServer.Fault

    /// What a client gets before the connection ends, or enough of it where there is no end.
    private func bytes(of fault: Fault, _ client: RawClient) throws -> (text: String, error: String?) {
        try client.get(fault.path, headers: "Connection: close\r\n")
        switch fault {
        case .endlessBody, .endlessHeader, .endlessInformational:
            return (String(decoding: try client.read(count: 200_000), as: UTF8.self), nil)
        case .slowBody: return (String(decoding: try client.read(through: "1\r\nx\r\n1\r\nx\r\n"), as: UTF8.self), nil)
        case .noResponse: return ("", nil)
        case .resetInBody: return (String(decoding: try client.read(through: Fault.body), as: UTF8.self), nil)
        default: break
        }
        do {
            return (String(decoding: try client.readToEnd(), as: UTF8.self), nil)
        } catch {
            return ("", "\(error)")
        }
    }

    @Test("Each fault sends the bytes that it describes, and the server continues", arguments: Fault.allCases)
    func wire(fault: Fault) throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        let (text, error) = try bytes(of: fault, client)
        let (header, body) = split(text)
        let length = Fault.body.utf8.count

        switch fault {
        case .noResponse:
            try server.waitForRequests(1)
            #expect(server.openConnectionCount == 1)
        case .closeBeforeHeader: #expect(text.isEmpty && error == nil)
        case .resetBeforeHeader: #expect(error == "reset")
        case .closeInHeader: #expect(header.hasPrefix("HTTP/1.1 200 OK\r\n") && !text.contains("\r\n\r\n"))
        case .garbageStatusLine: #expect(!text.isEmpty && !text.contains("HTTP/"))
        case .endlessHeader: #expect(header.hasPrefix("HTTP/1.1 200 OK\r\nX-Endless: ") && !text.contains("\r\n\r\n"))
        case .endlessInformational:
            #expect(text.components(separatedBy: "HTTP/1.1 103").count > 100 && !text.contains("HTTP/1.1 200"))
        case .conflictingLengths:
            #expect(
                header.contains("Content-Length: \(length)\r\n") && header.contains("Content-Length: \(length - 10)")
            )
        case .shortBody: #expect(header.contains("Content-Length: \(length + 100)") && body == Fault.body)
        case .longBody:
            #expect(header.contains("Content-Length: \(length)") && body.hasPrefix(Fault.body + "HTTP/1.1 418"))
        case .resetInBody:
            #expect(header.contains("Content-Length: \(length + 100)") && body == Fault.body)
            #expect(throws: RawClient.Failure.self) { try client.readToEnd() }
        case .brokenChunk: #expect(body.hasPrefix("2d\r\n\(Fault.body)\r\nzz\r\n"))
        case .missingLastChunk: #expect(body == "2d\r\n\(Fault.body)\r\n")
        case .truncatedGzip: #expect(header.contains("Content-Encoding: gzip") && !text.contains(Fault.body))
        case .falseGzip: #expect(header.contains("Content-Encoding: gzip") && body == Fault.body)
        case .endlessBody: #expect(header.contains("Transfer-Encoding: chunked") && !text.contains("\r\n0\r\n"))
        case .slowBody: #expect(header.contains("Transfer-Encoding: chunked"))
        case .oneByteAtATime: #expect(body == Fault.body)
        case .noReasonPhrase: #expect(header.hasPrefix("HTTP/1.1 200\r\n") && body == Fault.body)
        case .chunkTrailer: #expect(body == "2d\r\n\(Fault.body)\r\n0\r\nX-Trailer: after the body\r\n\r\n")
        case .bareLineFeeds: #expect(!text.contains("\r") && text.hasSuffix("\n\n" + Fault.body))
        case .sloppyHeader:
            #expect(header.contains("Content-Length:\(length)\r\nX-Name:Andr\u{FFFD}") && body == Fault.body)
        case .unannouncedClose: #expect(header.contains("Connection: keep-alive") && body == Fault.body)
        }
        client.disconnect()
        try server.waitForOpenConnections(0)
        #expect(try server.answer("/get").status == 200)
    }

    private func split(_ text: String) -> (header: String, body: String) {
        guard let end = text.range(of: "\r\n\r\n") else { return (text, "") }
        return (String(text[..<end.lowerBound]), String(text[end.upperBound...]))
    }

    @Test(
        "After a fault with a complete response, the connection is open or closed as documented",
        arguments: [Fault.oneByteAtATime, .noReasonPhrase, .chunkTrailer, .sloppyHeader]
    )
    func keepAlive(fault: Fault) throws {
        #expect(fault.outcome == .response)
        let server = try LoopbackServer()
        let client = try RawClient(server)
        for _ in 0..<2 {
            try client.get(fault.path)
            _ = try client.read(through: fault == .chunkTrailer ? "the body\r\n\r\n" : Fault.body)
        }
        #expect(server.acceptedConnectionCount == 1)
    }

    @Test("A fault can be one response in a script")
    func scripted() throws {
        let server = try LoopbackServer()
        server.route("/", .fault(.closeBeforeHeader), .text("second"))
        #expect(throws: RawClient.Failure.self) { try server.answer("/") }
        #expect(try server.answer("/").text == "second")
    }
}
