#if canImport(FoundationNetworking)

import Testing

@testable import LarkspurTransport

@Suite("The end of a response's content")
struct ResponseFramingTests {
    private func framing(
        _ lines: [String],
        status: Int = 200,
        version: String = "HTTP/1.1",
        method: String = "GET"
    ) throws -> ResponseFraming {
        let head = try #require(try ResponseHead.reading(lines, status: status))
        return try ResponseFraming(head.framing, status: status, version: version, method: method)
    }

    @Test(
        "A Content-Length is a number in range, and repeated values must be equal",
        arguments: [
            ("0", .bytes(0)), ("12", .bytes(12)), ("007", .bytes(7)), (" 5\t", .bytes(5)), ("5, 5", .bytes(5)),
            ("5 ,\t5", .bytes(5)), ("9223372036854775807", .bytes(.max)),
            ("9223372036854775808", .malformed), ("18446744073709551615", .malformed),
            ("1000000000000000000000000000000", .malformed), ("", .malformed), (" ", .malformed), ("-1", .malformed),
            ("+5", .malformed), ("0x32", .malformed), ("1.000", .malformed), ("5.0", .malformed), ("5 0", .malformed),
            ("5;", .malformed), ("5;5", .malformed), ("abc", .malformed), ("५", .malformed), ("\"5\"", .malformed),
            ("5, 6", .contradictory), ("5, x", .contradictory), ("5,", .contradictory), (",5", .contradictory),
            (",", .contradictory), ("5,,5", .contradictory), ("5, 05", .bytes(5)),
        ] as [(String, ContentLength)]
    )
    func length(text: String, length: ContentLength) {
        #expect(ContentLength(text) == length)
    }

    @Test(
        "Content ends at its length, its last chunk, or the end of its connection or stream",
        arguments: [
            ([], "HTTP/1.1", .close), ([], "HTTP/1.0", .close), ([], "HTTP/2", .stream), ([], "HTTP/3", .stream),
            (["Content-Length: 5"], "HTTP/1.1", .length(5)), (["Content-Length: 5"], "HTTP/2", .length(5)),
            (["content-LENGTH:5", "Content-Length: 5"], "HTTP/1.1", .length(5)),
            (["Transfer-Encoding: chunked"], "HTTP/1.1", .chunked),
            (["transfer-encoding:CHUNKED"], "HTTP/1.0", .chunked),
            (["Transfer-Encoding: ,chunked ,"], "HTTP/1.1", .chunked),
            (["Transfer-Encoding: chunked, chunked"], "HTTP/1.1", .chunked),
            (["Transfer-Encoding: chunked", "transfer-encoding: CHUNKED"], "HTTP/1.1", .chunked),
            (["Transfer-Encoding: chunked,,Chunked\t,", "Transfer-Encoding: chunked"], "HTTP/1.1", .chunked),
            (["Transfer-Encoding: chunked", "Content-Length: 5"], "HTTP/1.1", .chunked),
            (["Content-Length: 5", "Transfer-Encoding: chunked"], "HTTP/1.1", .chunked),
            (["Transfer-Encoding: identity"], "HTTP/1.1", .close),
            (["Transfer-Encoding: identity", "Content-Length: 5"], "HTTP/1.1", .length(5)),
        ] as [([String], String, ResponseFraming)]
    )
    func rule(lines: [String], version: String, expected: ResponseFraming) throws {
        #expect(try framing(lines, version: version) == expected)
    }

    @Test(
        "A response to HEAD, or with a status without content, has none, whatever its fields announce",
        arguments: [("HEAD", 200), ("GET", 204), ("GET", 304), ("POST", 204), ("CONNECT", 200), ("CONNECT", 299)]
    )
    func noContent(method: String, status: Int) throws {
        let fields = [["Content-Length: 5"], ["Transfer-Encoding: chunked"], ["Transfer-Encoding: gzip"], []]
        for lines in fields {
            #expect(try framing(lines, status: status, method: method) == .none)
        }
        #expect(throws: ResponseFraming.Failure.malformedLength) {
            try framing(["Content-Length: x"], status: status, method: method)
        }
    }

    @Test(
        "A response to another method and with another status has content",
        arguments: [("GET", 205), ("head", 200), ("CONNECT", 407), ("OPTIONS", 200)]
    )
    func content(method: String, status: Int) throws {
        #expect(try framing(["Content-Length: 5"], status: status, method: method) == .length(5))
    }

    @Test(
        "A framing that libcurl could read differently is a failure",
        arguments: [
            (["Content-Length: 5 0"], .malformedLength), (["Content-Length:"], .malformedLength),
            (["Content-Length: 5", "Content-Length: 6"], .contradictoryLengths),
            (["Content-Length: 5", "Content-Length: x", "Transfer-Encoding: chunked"], .contradictoryLengths),
            (["Content-Length : 5"], .obscuredField("Content-Length")),
            (["Content-Length\t: 5"], .obscuredField("Content-Length")),
            (["Content-Length\u{B}: 5"], .obscuredField("Content-Length")),
            (["\u{C}Content-Length: 5"], .obscuredField("Content-Length")),
            (["Content-Length;a, b: 5"], .obscuredField("Content-Length")),
            (["Content-Length: 5", "Transfer-Encoding : chunked"], .obscuredField("Transfer-Encoding")),
            (["Transfer-Encoding:", " chunked"], .obscuredField("Transfer-Encoding")),
            (["Transfer-Encoding: chunked", "\t"], .obscuredField("Transfer-Encoding")),
            (["Content-Length:", "\t5"], .obscuredField("Content-Length")),
            (["Transfer-Encoding: gzip"], .unknownTransferCoding("gzip")),
            (["Transfer-Encoding:"], .unknownTransferCoding("")),
            (["Transfer-Encoding: ,"], .unknownTransferCoding(",")),
            (["Transfer-Encoding: gzip, chunked"], .unknownTransferCoding("gzip, chunked")),
            (["Transfer-Encoding: chunked, gzip"], .unknownTransferCoding("chunked, gzip")),
            (["Transfer-Encoding: chunked", "Transfer-Encoding: gzip"], .unknownTransferCoding("chunked, gzip")),
            (["Transfer-Encoding: chunked, gzip, chunked"], .unknownTransferCoding("chunked, gzip, chunked")),
            (["Transfer-Encoding: identity, identity"], .unknownTransferCoding("identity, identity")),
            (["Transfer-Encoding: chunked, identity"], .unknownTransferCoding("chunked, identity")),
            (["Transfer-Encoding: chunked chunked"], .unknownTransferCoding("chunked chunked")),
            (["Transfer-Encoding: xchunked"], .unknownTransferCoding("xchunked")),
            (["Transfer-Encoding: chunked;q=1"], .unknownTransferCoding("chunked;q=1")),
            (["Transfer-Encoding: \"chunked\""], .unknownTransferCoding("\"chunked\"")),
            (["Transfer-Encoding: identity, chunked"], .unknownTransferCoding("identity, chunked")),
            (
                ["Transfer-Encoding: chunked, chunked", "Content-Length: 5"],
                .ambiguousChunks("chunked, chunked")
            ),
            (
                ["Content-Length: 5", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
                .ambiguousChunks("chunked, chunked")
            ),
        ] as [([String], ResponseFraming.Failure)]
    )
    func failures(lines: [String], failure: ResponseFraming.Failure) {
        #expect(throws: failure) { try framing(lines) }
        #expect(failure.sentence.hasSuffix("."))
    }

    @Test("A repeated chunked coding is refused in HTTP/1.0, and the sentence quotes it")
    func repeatedInOldVersion() {
        for version in ["HTTP/1.0", "HTTP/1.2", "HTTP/1"] {
            let failure = #expect(throws: ResponseFraming.Failure.self) {
                try framing(["Transfer-Encoding: chunked, chunked"], version: version)
            }
            #expect(failure?.sentence.contains("“chunked, chunked”") == true)
        }
    }

    @Test("An error's sentence quotes the beginning of a field, in one line of ASCII")
    func excerpts() {
        let list = "\u{1B}[31m\n\u{E9}" + String(repeating: "x", count: 100_000)
        for failure in [ResponseFraming.Failure.unknownTransferCoding(list), .ambiguousChunks(list)] {
            #expect(failure.sentence.contains("“?[31m??xxx") && failure.sentence.contains("x…”"))
            #expect(failure.sentence.count < 300)
        }
    }

    @Test("A folded field without framing information is accepted")
    func harmlessFolding() throws {
        #expect(try framing(["X-A: 1", " Content-Length: 6", "X-B : 1", "Content-Length: 5"]) == .length(5))
    }

    @Test("A connection is not reused after two framings, repeated chunking, or chunks in HTTP/1.0")
    func doubtful() throws {
        func isDoubtful(_ lines: [String], _ version: String = "HTTP/1.1") throws -> Bool {
            let head = try #require(try ResponseHead.reading(lines))
            return ResponseFraming.isDoubtful(head.framing, version: version)
        }
        #expect(try isDoubtful(["Content-Length: 5", "Transfer-Encoding: chunked"]))
        #expect(try isDoubtful(["Transfer-Encoding: chunked"], "HTTP/1.0"))
        #expect(try isDoubtful(["Transfer-Encoding: chunked, chunked"]))
        #expect(try isDoubtful(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"]))
        #expect(try !isDoubtful(["Transfer-Encoding: chunked"]))
        #expect(try !isDoubtful(["Transfer-Encoding: ,chunked ,"]))
        #expect(try !isDoubtful(["Content-Length: 5"], "HTTP/1.0"))
    }

    @Test("A Content-Length that Transfer-Encoding overrides is removed from the fields")
    func overriddenLength() throws {
        let head = try #require(try ResponseHead.reading(["Content-Length: 5", "Transfer-Encoding: chunked"]))
        #expect(head.fields == ["Transfer-Encoding": "chunked"])
    }
}

#endif
