#if canImport(FoundationNetworking)

import Foundation
import Testing

@testable import LarkspurTransport

@Suite struct ResponseHeadParserTests {
    @Test("A typical head is parsed with canonical names, whatever their case")
    func typicalReply() throws {
        for transform in [{ $0 }, { $0.lowercased() }] as [(String) -> String] {
            let names = ["Server", "Content-Type", "Content-Length", "ETag", "WWW-Authenticate", "Accept-CH"].map(
                transform
            )
            let head = try #require(
                try ResponseHead.reading([
                    names[0] + ": nginx/1.22.1", names[1] + ": text/plain", names[2] + ": 12", names[3] + ": \"a\"",
                    names[4] + ": Basic", names[5] + ": DPR",
                ])
            )
            #expect(head.status == 200)
            #expect(head.version == "HTTP/1.1")
            #expect(
                head.fields == [
                    "Server": "nginx/1.22.1", "Content-Type": "text/plain", "Content-Length": "12", "Etag": "\"a\"",
                    "WWW-Authenticate": "Basic", "Accept-Ch": "DPR",
                ]
            )
            #expect(head.contentLength == 12)
        }
    }

    @Test(
        "A status line is parsed with or without a reason phrase, in all versions",
        arguments: [
            ("HTTP/1.1 200 OK\r\n", 200, "HTTP/1.1"), ("HTTP/1.1 200\r\n", 200, "HTTP/1.1"),
            ("HTTP/1.0 404 \n", 404, "HTTP/1.0"), ("HTTP/2 204 \r\n", 204, "HTTP/2"), ("HTTP/3 599", 599, "HTTP/3"),
            ("HTTP/1.1  301\tMoved", 301, "HTTP/1.1"),
        ]
    )
    func statusLine(line: String, status: Int, version: String) throws {
        var parser = ResponseHeadParser()
        #expect(try parser.consume(line) == nil)
        let head = try #require(try parser.consume("\r\n"))
        #expect(head.status == status)
        #expect(head.version == version)
        #expect(head.fields.isEmpty)
    }

    @Test(
        "A malformed status line is refused with a sentence",
        arguments: [
            "", "\r\n", "HTTP/", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1 2x0 OK",
            "HTTP/1.1 -20",
            "ICY 200 OK", "HTTP/x 200", "HTTP/1.1.1 200", "HTTP 200 OK", "Server: nginx", "http/1.1 200 OK",
            "HTTP/1.1\u{0}200", "HTTP/1.1 200 OK\rTransfer-Encoding: chunked\r\r\n",
        ]
    )
    func noStatusLine(line: String) {
        var parser = ResponseHeadParser()
        #expect(throws: ResponseHeadParser.Failure.invalidStatusLine) { try parser.consume(line) }
        #expect(ResponseHeadParser.Failure.invalidStatusLine.sentence.contains("status line"))
    }

    @Test("A status of an unassigned class is accepted", arguments: [600, 999])
    func unassignedStatus(status: Int) throws {
        #expect(try ResponseHead.reading([], status: status)?.status == status)
    }

    @Test(
        "A line that begins with a carriage return is refused, because libcurl takes it for the end of the head",
        arguments: ["\rX-A: b\r\n", "\r\r\n", "\rX-A: b\n"]
    )
    func carriageReturn(line: String) throws {
        for head in [["HTTP/1.1 200 OK"], ["HTTP/1.1 200 OK", "X-A: b"]] {
            var parser = ResponseHeadParser()
            _ = try parser.heads(head)
            #expect(throws: ResponseHeadParser.Failure.invalidLineEnd) { try parser.consume(line) }
        }
    }

    @Test("A status below 100 is refused and named", arguments: [0, 99])
    func statusOutOfRange(status: Int) {
        var parser = ResponseHeadParser()
        let digits = String(repeating: "0", count: 3 - String(status).count) + String(status)
        #expect(throws: ResponseHeadParser.Failure.invalidStatus(status)) {
            try parser.consume("HTTP/1.1 \(digits) X\r\n")
        }
        #expect(ResponseHeadParser.Failure.invalidStatus(status).sentence.contains("\(status)"))
    }

    @Test(
        "Fields are parsed in the forms that servers send",
        arguments: [
            ("Vary:a\r\n", "Vary", "a"), ("Vary: a\n", "Vary", "a"), ("Vary:\t a \t\r\n", "Vary", "a"),
            ("X-A : v\r\n", "X-A", "v"), ("x-a: v\r\n", "x-a", "v"), ("Vary:\r\n", "Vary", ""),
            ("Vary: \r\n", "Vary", ""),
            ("Date: a:b: c\r\n", "Date", "a:b: c"), ("X-U: gr\u{FC}n\r\n", "X-U", "gr\u{FC}n"), ("DNT: 1", "Dnt", "1"),
            ("X-N: a\0b\r\n", "X-N", "a b"), ("X-C: a\rb\r\n", "X-C", "a b"), ("X-N: \0\r\n", "X-N", ""),
            ("p3p: x", "P3P", "x"), ("X: y", "X", "y"), ("a: y", "A", "y"),
        ]
    )
    func field(line: String, name: String, value: String) throws {
        var parser = ResponseHeadParser()
        _ = try parser.consume("HTTP/1.1 200\r\n")
        _ = try parser.consume(line)
        let head = try #require(try parser.consume("\r\n"))
        #expect(head.fields == [name: value])
    }

    @Test(
        "A malformed field line is skipped together with its folded lines",
        arguments: [
            "no colon", ": no name", "two words: v", "na\u{0}me: v", "n\u{E4}me: v", "content\rtype: v",
            " folded: first",
        ]
    )
    func noField(line: String) throws {
        let head = try #require(try ResponseHead.reading([line, " more", "Vary: a"]))
        #expect(head.fields == ["Vary": "a"])
    }

    @Test("Bytes that are not UTF-8 are read as ISO-8859-1")
    func latin1() throws {
        var parser = ResponseHeadParser()
        _ = try parser.consume("HTTP/1.1 200\r\n")
        _ = try parser.consume(bytes: Array("X-A: ".utf8) + [0x67, 0x72, 0xFC, 0x6E, 0x0D, 0x0A])
        #expect(try parser.consume("\n")?.fields == ["X-A": "gr\u{FC}n"])
    }

    @Test(
        "A folded value has no leading or trailing blanks",
        arguments: [
            (["X-A:", " v"], "v"), (["X-A: ", "\t v", " w"], "v w"), (["X-A:", " ", "  ", " v"], "v"),
            (["X-A: v", "  "], "v"), (["X-A: v ", "\t", " "], "v"), (["X-A:", " "], ""),
            (["X-A: v", " ", " w"], "v  w"),
            (["X-A: \0", " v"], "v"), (["X-A:", " gr\u{FC}n", " "], "gr\u{FC}n"),
        ]
    )
    func foldedEnds(lines: [String], value: String) throws {
        #expect(try ResponseHead.reading(lines)?.fields == ["X-A": value])
        #expect(try ResponseHead.reading(lines + ["Vary: a"])?.fields == ["X-A": value, "Vary": "a"])
        var parser = ResponseHeadParser()
        _ = try parser.heads(["HTTP/1.1 200 OK", ""] + lines)
        #expect(parser.trailers == ["X-A": value])
    }

    @Test("Folded lines are joined by one space")
    func folding() throws {
        let head = try #require(
            try ResponseHead.reading(["Vary: a,", "   b,", "\tc ", "Location: /x", " y", "Set-Cookie: a=b;", " Secure"])
        )
        #expect(head["vary"] == "a, b, c")
        #expect(head.location == "/x y")
        #expect(head.setCookies == ["a=b; Secure"])
    }

    @Test("Informational heads come before the final one, each with its own fields")
    func informational() throws {
        var parser = ResponseHeadParser()
        let heads = try parser.heads([
            "HTTP/1.1 100 Continue", "", "HTTP/1.1 103", "Link: </a>", "", "HTTP/1.1 200 OK", "Vary: a", "",
        ])
        #expect(heads.map(\.status) == [100, 103, 200])
        #expect(heads.map(\.fields) == [[:], ["Link": "</a>"], ["Vary": "a"]])
    }

    @Test("The lines after a final head are trailers, the last one included")
    func trailers() throws {
        var parser = ResponseHeadParser()
        let heads = try parser.heads(["HTTP/1.1 200 OK", "Vary: a", "", "X-Sum: 1", "x-more: 2", "X-Sum: 3", " 4"])
        #expect(heads.map(\.fields) == [["Vary": "a"]])
        #expect(parser.trailers == ["X-Sum": "1, 3 4", "x-more": "2"])
        _ = try parser.heads([""])
        #expect(parser.trailers == ["X-Sum": "1, 3 4", "x-more": "2"])
    }

    @Test(
        "Trailers are nil if there are none or if none is allowed",
        arguments: [[], ["Content-Length: 1"], ["Set-Cookie: a=b", "Host: h"], ["no field"]]
    )
    func noTrailers(lines: [String]) throws {
        var parser = ResponseHeadParser()
        _ = try parser.heads(["HTTP/1.1 200 OK", "Vary: a"])
        #expect(parser.trailers == nil)
        _ = try parser.heads([""] + lines)
        #expect(parser.trailers == nil)
        #expect(ResponseHeadParser.trailers(of: lines.map { Array($0.utf8) }) == nil)
    }

    @Test("Trailers whose names differ in case are joined under the first spelling")
    func caselessTrailers() {
        let lines = ["x-sum: 1", "X-SUM: 2", " 3", "Etag: a\rb", "X-Sum: 4", "eTAG: c"]
        let trailers = ResponseHeadParser.trailers(of: lines.map { Array($0.utf8) })
        #expect(trailers == ["x-sum": "1, 2 3, 4", "Etag": "a b, c"])
    }

    @Test("A status line after a final head begins another head, without the first one's trailers")
    func repeatedReply() throws {
        var parser = ResponseHeadParser()
        let heads = try parser.heads([
            "HTTP/1.1 401", "Vary: a", "", "X-Sum: 1", "HTTP/1.1 200", "Age: 2", "", "X-Sum: 3",
        ])
        #expect(heads.map(\.status) == [401, 200])
        #expect(heads.last?.fields == ["Age": "2"])
        #expect(parser.trailers == ["X-Sum": "3"])
    }

    @Test("Heads and trailers together are limited to 512 KiB", arguments: [false, true])
    func limit(inTrailers: Bool) throws {
        var parser = ResponseHeadParser()
        _ = try parser.heads(["HTTP/1.1 103", "", "HTTP/1.1 200"] + (inTrailers ? [""] : []))
        let line = "X-A: " + String(repeating: "a", count: 1017) + "\r\n"
        for _ in 0..<511 { _ = try parser.consume(line) }
        #expect(throws: ResponseHeadParser.Failure.tooManyBytes(limit: 524_288)) {
            _ = try parser.consume(line)
            _ = try parser.consume(line)
        }
    }
}

#endif
