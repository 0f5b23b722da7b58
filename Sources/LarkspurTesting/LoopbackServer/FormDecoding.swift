internal import Foundation
internal import HTTPSyntax

/// The parts of a multipart body (RFC 2046, section 5.1); nil if the body is malformed.
struct Multipart {
    typealias Part = LoopbackServer.Request.Part

    let parts: [Part]

    init?(_ body: Data, boundary: String) {
        // With a line end before the body, the first delimiter has the same form as the others.
        let body = Data("\r\n".utf8) + body
        let delimiter = Data("\r\n--\(boundary)".utf8)
        var parts: [Part] = []
        var position = body.startIndex
        var partStart: Data.Index?
        while let range = body.range(of: delimiter, in: position..<body.endIndex) {
            if let partStart {
                guard let part = Self.part(body[partStart..<range.lowerBound]) else { return nil }
                parts.append(part)
            }
            let rest = body[range.upperBound...]
            if rest.starts(with: "--".utf8) {
                self.parts = parts
                return
            }
            guard let lineEnd = rest.range(of: Data("\r\n".utf8)),
                rest[..<lineEnd.lowerBound].allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
            else { return nil }
            partStart = lineEnd.upperBound
            position = lineEnd.upperBound
        }
        return nil
    }

    private static func part(_ bytes: Data) -> Part? {
        // A part without a header begins with the empty line. With a line end before the part, the header ends as in
        // other parts.
        let bytes = Data("\r\n".utf8) + bytes
        guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        var headers: LoopbackServer.Fields = [:]
        let lines = String(networkBytes: bytes[..<end.lowerBound]).components(separatedBy: "\r\n")
        for line in lines where !line.isEmpty {
            guard let (name, value) = line.cut(at: ":") else { return nil }
            headers.append(name.trimmingBlanks, value.trimmingBlanks)
        }
        return Part(headers: headers, data: Data(bytes[end.upperBound...]))
    }
}

/// The decoding of queries and of `application/x-www-form-urlencoded`, by the WHATWG's URL standard.
enum FormDecoding {
    static func items(of text: String) -> [URLQueryItem] {
        text.parts(separatedBy: "&").map { pair in
            URLQueryItem(
                name: String(pair.before("=")).percentDecoded(plusIsSpace: true),
                value: (pair.cut(at: "=")?.after).map { String($0).percentDecoded(plusIsSpace: true) }
            )
        }
    }
}
