import Foundation
import TestSupport
import Testing

@testable import LarkspurTesting

@Suite struct RequestParserTests {
    private struct Parsed: Equatable {
        var head: ReceivedHead
        var body = Data()
        var trailers: LoopbackServer.Fields = [:]
    }

    private func parse(_ bytes: Data, chunkSize: Int) throws -> [Parsed] {
        var parser = RequestParser()
        var requests: [Parsed] = []
        var rest = bytes
        while !rest.isEmpty {
            parser.append(rest.prefix(chunkSize))
            rest = rest.dropFirst(chunkSize)
            while let event = try parser.next() {
                switch event {
                case .head(let head): requests.append(Parsed(head: head))
                case .body(let data): requests[requests.count - 1].body += data
                case .end(let trailers): requests[requests.count - 1].trailers = trailers
                }
            }
        }
        #expect(!parser.isInsideRequest)
        return requests
    }

    @Test("A request is parsed the same, however its bytes are split", arguments: [1, 2, 3, 7, 1_000])
    func chunking(chunkSize: Int) throws {
        let text =
            "GET /a?b=c HTTP/1.1\r\nHost: x\r\nX-Empty:\r\n\r\n"
            + "\r\nPOST /b HTTP/1.1\r\nhost:y\r\nContent-Length:  5 \r\n\r\nhello"
            + "PUT /c HTTP/1.1\r\nHost: z\r\nTransfer-Encoding: Chunked\r\n\r\n"
            + "3;name=value\r\nabc\r\n00A\r\n0123456789\r\n0\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n"
            + "GET / HTTP/1.0\r\n\r\n"

        let requests = try parse(Data(text.utf8), chunkSize: chunkSize)

        #expect(requests.map(\.head.method) == ["GET", "POST", "PUT", "GET"])
        #expect(requests.map(\.head.target) == ["/a?b=c", "/b", "/c", "/"])
        #expect(requests.map { String(decoding: $0.body, as: UTF8.self) } == ["", "hello", "abc0123456789", ""])
        #expect(requests[0].head.fields == ["Host": "x", "X-Empty": ""])
        #expect(requests[2].trailers == ["X-Sum": "1", "X-Sum": "2"])
        #expect(requests.map(\.head.minorVersion) == [1, 1, 1, 0])
        #expect(requests.map(\.head.framing) == [.none, .length(5), .chunked, .none])
    }

    @Test(
        "An invalid request has the status for its fault",
        arguments: [
            ("GET /\r\n", 400),
            ("GET  / HTTP/1.1\r\n", 400),
            ("G@T / HTTP/1.1\r\n", 400),
            (" GET / HTTP/1.1\r\n", 400),
            ("GET / HTTP/2.0\r\n", 505),
            ("GET / HTTP/1.2\r\n", 505),
            ("GET / HTTP/\u{301}\r\n", 505),
            ("GET / FTP/1.1\r\n", 400),
            ("GET / HTTP/1.1\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: \0x\r\n", 400),
            ("\u{16}\u{3}\u{1}", 400),
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
            ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n7FFFFFFFFFFFFFFF\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", 400),
        ]
    )
    func failures(text: String, status: Int) throws {
        for chunkSize in [1, 1_000] {
            let failure = #expect(throws: RequestParser.Failure.self) {
                try parse(Data(text.utf8), chunkSize: chunkSize)
            }
            #expect(failure?.status == status)
        }
    }

    @Test(
        "A request line or header without an end is refused at the limit",
        arguments: [("GET /", "x", 414), ("GET / HTTP/1.1\r\nA: ", "x", 431), ("GET / HTTP/1.1\r\n", "A: b\r\n", 431)]
    )
    func limits(start: String, repeated: String, status: Int) throws {
        let count = RequestParser.maximumSectionSize / repeated.utf8.count + 1
        let bytes = Data((start + String(repeating: repeated, count: count)).utf8)
        let failure = #expect(throws: RequestParser.Failure.self) { try parse(bytes, chunkSize: 10_000) }
        #expect(failure?.status == status)
    }

    @Test("Random bytes lead to an event or a failure, never to a crash", .seeded)
    func garbage() {
        var generator = SeededGenerator()
        let start = Data("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        for round in 0..<500 {
            let bytes = Data((0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) })
            var parser = RequestParser()
            parser.append(round.isMultiple(of: 2) ? bytes : start + bytes)
            var events = 0
            while let event = try? parser.next(), events < 100 {
                events += event == .end(trailers: [:]) ? 2 : 1
            }
            #expect(events < 100)
        }
    }

    @Test(
        "A target has its path and query, with or without a proxy",
        arguments: [
            ("/a/b?c=d?e", "/a/b", "c=d?e"), ("/a", "/a", nil), ("/?", "/", ""), ("*", "*", nil),
            ("http://x:80/a?b", "/a", "b"), ("http://x", "/", nil), ("http://x?q", "", "q"), ("x:443", "x:443", nil),
            ("/redirect?url=http://x/y", "/redirect", "url=http://x/y"),
        ] as [(String, String, String?)]
    )
    func targets(target: String, path: String, query: String?) {
        let head = ReceivedHead(method: "GET", target: target)
        #expect(head.rawPath == path)
        #expect(head.rawQuery == query)
    }
}
