#if canImport(FoundationNetworking)

@testable import LarkspurTransport

extension ResponseHeadParser {
    /// Reads lines as they come from the network, line ends included.
    mutating func consume(_ line: String) throws(Failure) -> ResponseHead? {
        try consume(bytes: Array(line.utf8))
    }

    mutating func consume(bytes: [UInt8]) throws(Failure) -> ResponseHead? {
        var result: Result<ResponseHead?, Failure> = .success(nil)
        bytes.withUnsafeBytes { buffer in
            do throws(Failure) {
                result = .success(try consume(buffer))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }

    /// The heads of a reply whose lines end in CR LF.
    mutating func heads(_ lines: [String]) throws(Failure) -> [ResponseHead] {
        var heads: [ResponseHead] = []
        for line in lines {
            if let head = try consume(line + "\r\n") { heads.append(head) }
        }
        return heads
    }
}

extension ResponseHead {
    /// The head of a reply with these field lines.
    static func reading(_ fields: [String], status: Int = 200, version: String = "HTTP/1.1") throws -> ResponseHead? {
        var parser = ResponseHeadParser()
        return try parser.heads(["\(version) \(status) OK"] + fields + [""]).first
    }
}

#endif
