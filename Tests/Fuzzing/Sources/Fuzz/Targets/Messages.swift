import Foundation
import HTTPSyntax

@testable import LarkspurTesting
@testable import LarkspurTransport

// LarkspurTesting has a type with the same name.
private typealias Head = LarkspurTransport.ResponseHead

/// The messages of HTTP/1: header sections, framing, chunks, trailers, and the requests that the server for tests
/// reads.
extension FuzzTarget {
    static let messages = [head, trailers, framing, lengths, chunks, requests]

    // MARK: Header sections

    /// The lines of an input, each with its line feed, as libcurl delivers them.
    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: .lineFeed) {
            lines.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        if !rest.isEmpty { lines.append(rest) }
        return lines
    }

    private static func heads(
        _ lines: [ArraySlice<UInt8>],
        _ memory: HeadMemory? = nil
    ) -> (heads: [Head], trailers: [String: String]?, failure: ResponseHeadParser.Failure?) {
        var parser = ResponseHeadParser(memory: memory)
        var heads: [Head] = []
        do throws(ResponseHeadParser.Failure) {
            for line in lines {
                let result = line.withUnsafeBytes { line in
                    Result { () throws(ResponseHeadParser.Failure) in try parser.consume(line) }
                }
                if let head = try result.get() { heads.append(head) }
            }
        } catch {
            return (heads, nil, error)
        }
        return (heads, parser.trailers, nil)
    }

    private static let head = FuzzTarget("head", measured: { _ = heads(lines(of: $0)) }) { bytes in
        let lines = lines(of: bytes)
        let read = heads(lines)
        for head in read.heads { check(head) }
        // With the memory of the same head, and of a head that differs, the result is the same.
        let memory = HeadMemory()
        _ = heads(lines, memory)
        let half = lines.prefix(lines.count / 2) + ["\r\n".utf8.map { $0 }[...]]
        // Another value of the same length, in each line.
        let others = lines.enumerated().map { index, line in
            var line = line
            if index > 0, line.count > 4 { line[line.endIndex - 3] ^= 1 }
            return line
        }
        for lines in [lines, others, Array(half), lines] {
            let remembered = heads(lines, memory)
            let anew = heads(lines)
            require(remembered.failure, equals: anew.failure, "the failure with a memory")
            require(remembered.trailers, equals: anew.trailers, "the trailers with a memory")
            require(remembered.heads.count, equals: anew.heads.count, "the number of heads with a memory")
            for (first, second) in zip(remembered.heads, anew.heads) {
                require(first.fields, equals: second.fields, "the fields with a memory")
                require(first.framing, equals: second.framing, "the framing with a memory")
                require(first.setCookies, equals: second.setCookies, "the cookies with a memory")
                require(first.challenges, equals: second.challenges, "the challenges with a memory")
            }
        }
        checkSimpleHead(lines, read.heads)
    }

    private static func check(_ head: Head) {
        require((100...999).contains(head.status), "the status \(head.status) is a status")
        for (name, value) in head.fields {
            require(!name.isEmpty, "a field has a name")
            require(!value.breaksLine, "the value of \(name) is one line")
            require(head[name] != nil, "the field \(name) is found by its name")
        }
        for value in head.setCookies + head.challenges + head.proxyChallenges + [head.location ?? ""] {
            require(!value.breaksLine, "a value that is kept beside the fields is one line")
        }
        for method in ["GET", "HEAD", "CONNECT"] {
            let framing = try? ResponseFraming(
                head.framing,
                status: head.status,
                version: head.version,
                method: method
            )
            if case .length(let length) = framing { require(length >= 0, "a length is not negative") }
        }
        let url = URL(string: "http://a.example/b")
        let response = url.flatMap { head.makeResponse(url: $0) }
        require(response?.statusCode, equals: head.status, "the response has the status")
        require((response?.suggestedFilename?.contains("/") ?? false) == false, "the file has no folder")
    }

    /// Reads a head whose lines are all simple by a second reader: a token, a colon, and visible ASCII.
    private static func checkSimpleHead(_ lines: [ArraySlice<UInt8>], _ heads: [Head]) {
        guard heads.count == 1, let head = heads.first, head.status >= 200,
            let end = lines.firstIndex(where: { $0.elementsEqual("\r\n".utf8) || $0.elementsEqual("\n".utf8) })
        else { return }
        var expected: [String: [String]] = [:]
        for line in lines[..<end].dropFirst() {
            let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard line.allSatisfy({ (0x20...0x7E).contains($0) || $0 == .lineFeed || $0 == .carriageReturn }),
                line.dropLast(2).allSatisfy({ $0 != .carriageReturn }), parts.count == 2, parts[0].isToken
            else { return }
            expected[parts[0].lowercased(), default: []].append(parts[1].trimmingBlanks)
        }
        // A length that is repeated counts once.
        for (name, values) in expected where name != "set-cookie" && name != "content-length" {
            require(head[name], equals: values.joined(separator: ", "), "the value of \(name)")
        }
        require(head.setCookies, equals: expected["set-cookie"] ?? [], "the cookies")
        require(head.fields.count <= expected.count, "there are no other fields")
    }

    private static let trailers = FuzzTarget("trailers") { bytes in
        let lines = bytes.split(separator: .lineFeed, omittingEmptySubsequences: false).map(Array.init)
        guard let trailers = ResponseHeadParser.trailers(of: lines) else { return }
        require(!trailers.isEmpty, "there are trailers")
        for (name, value) in trailers {
            require(TrailerField.isAllowed(name), "\(name) may be a trailer")
            require(!value.breaksLine, "a trailer is one line")
        }
    }

    // MARK: Framing

    private static let framing = FuzzTarget("framing") { bytes in
        var choices = Choices(bytes)
        let status = choices.element(of: [200, 204, 304, 101, 404, 206, 599, 999])
        let version = choices.element(of: ["HTTP/1.1", "HTTP/1.0", "HTTP/2", "HTTP/3"])
        let method = choices.element(of: ["GET", "HEAD", "CONNECT", "POST"])
        let length = choices.flag() ? String(networkBytes: choices.bytes()) : nil
        let encoding = choices.flag() ? String(networkBytes: choices.bytes()) : nil
        var fields = FramingFields()
        fields.length = length.map { LarkspurTransport.ContentLength($0) }
        fields.transferEncoding = encoding
        fields.obscured = choices.flag() ? "Content-Length" : nil
        let framing = try? ResponseFraming(fields, status: status, version: version, method: method)
        let hasNoContent = status < 200 || status == 204 || status == 304 || method == "HEAD"
        if hasNoContent, let framing { require(framing, equals: .none, "there is no content") }
        guard let framing, !hasNoContent, !(method == "CONNECT" && status < 300) else { return }
        let names = encoding?.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0.trimmingBlanks).lowercased() }
            .filter { !$0.isEmpty }
        switch framing {
        case .none: require(false, "there is content")
        case .length(let count): require(fields.length, equals: .bytes(count), "the length is that of the field")
        case .chunked:
            require(version.hasPrefix("HTTP/1"), "only HTTP/1 has chunks")
            require(names?.allSatisfy { $0 == "chunked" } ?? false, "the only coding is chunked")
        case .close: require(version.hasPrefix("HTTP/1") && fields.length == nil, "the end is not known")
        case .stream: require(!version.hasPrefix("HTTP/1") && fields.length == nil, "the end is that of the stream")
        }
        if version.hasPrefix("HTTP/1") { require(fields.obscured == nil, "an obscured field is a failure") }
    }

    private static let lengths = FuzzTarget(text: "lengths") { text in
        let read = LarkspurTransport.ContentLength(text)
        let values = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { value -> Int64? in
                let digits = value.trimmingBlanks
                guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
                // Zeros before a number do not matter, however many there are.
                let number = digits.drop { $0 == UInt8(ascii: "0") }
                return number.isEmpty ? 0 : Int64(String(decoding: number, as: UTF8.self))
            }
        let numbers = values.compactMap(\.self)
        let expected: Int64? = numbers.count == values.count && Set(numbers).count == 1 ? numbers[0] : nil
        require(read.value, equals: expected, "the length")
    }

    // MARK: Chunks

    private struct Decoded: Equatable {
        var content: [UInt8] = []
        var trailers: [[UInt8]] = []
        var isComplete = false
        var failure: FramedContent.Failure?
    }

    private static func decode(_ parts: [ArraySlice<UInt8>]) -> Decoded {
        var content = FramedContent(.chunked)
        var decoded = Decoded()
        for part in parts {
            part.withUnsafeBytes { part in
                content.take(part).withUnsafeBytes { decoded.content += $0 }
            }
        }
        require(content.count, equals: Int64(decoded.content.count), "the count is that of the content")
        decoded.trailers = content.trailers
        decoded.isComplete = content.isComplete
        decoded.failure = content.failure
        return decoded
    }

    private static let chunks = FuzzTarget("chunks", measured: { _ = decode(Division.steady(of: $0)) }) { bytes in
        let whole = decode([bytes[...]])
        require(whole.content.count <= bytes.count, "content is not longer than its chunks")
        for parts in Division.all(of: bytes) {
            let decoded = decode(parts)
            require(decoded.content, equals: whole.content, "the content of parts")
            require(decoded.trailers, equals: whole.trailers, "the trailers of parts")
            require(decoded.isComplete, equals: whole.isComplete, "the end of parts")
            require(decoded.failure, equals: whole.failure, "the failure of parts")
        }
        _ = ResponseHeadParser.trailers(of: whole.trailers)
        if let strict = strictChunks(bytes) {
            require(whole.isComplete, "strict chunks are complete")
            require(whole.content, equals: strict, "the content of strict chunks")
        }
    }

    /// Reads chunks without extensions and trailers, with CR LF; nil if the input is anything else.
    private static func strictChunks(_ bytes: [UInt8]) -> [UInt8]? {
        var content: [UInt8] = []
        var rest = bytes[...]
        while true {
            let digits = rest.prefix { $0.hexDigitValue != nil }
            rest = rest[digits.endIndex...]
            guard (1...8).contains(digits.count), rest.starts(with: "\r\n".utf8),
                let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            rest = rest.dropFirst(2)
            if size == 0 { return rest.starts(with: "\r\n".utf8) ? content : nil }
            guard rest.count >= size + 2, rest.dropFirst(size).starts(with: "\r\n".utf8) else { return nil }
            content += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
    }

    // MARK: Requests

    /// Returns a transcript of the events, with the contents between two other events joined.
    private static func transcript(_ parts: [ArraySlice<UInt8>]) -> [String] {
        var parser = RequestParser()
        var lines: [String] = []
        var body = Data()
        func endBody() {
            if !body.isEmpty { lines.append("body \(body.base64EncodedString())") }
            body = Data()
        }
        do throws(RequestParser.Failure) {
            for part in parts {
                parser.append(part)
                while let event = try parser.next() {
                    switch event {
                    case .body(let data): body += data
                    case .head(let head):
                        endBody()
                        lines.append("head \(head.method) \(head.target) \(head.fields) \(head.framing)")
                        lines.append("\(head.rawPath) \(head.rawQuery ?? "") \(head.wantsKeepAlive)")
                    case .end(let trailers):
                        endBody()
                        lines.append("end \(trailers)")
                    }
                }
            }
        } catch {
            endBody()
            lines.append("failure \(error.status) \(error.reason)")
        }
        endBody()
        return lines
    }

    private static let requests = FuzzTarget(
        "requests",
        measured: { _ = transcript(Division.steady(of: $0)) },
        { bytes in
            let whole = transcript([bytes[...]])
            for parts in Division.all(of: bytes) { require(transcript(parts), equals: whole, "the events of parts") }
        }
    )
}
