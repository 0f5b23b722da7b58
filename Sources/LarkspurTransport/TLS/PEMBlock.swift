/// A block of the text encoding of keys and certificates (RFC 7468).
struct PEMBlock: Equatable {
    /// The label in its first line, such as "CERTIFICATE".
    let label: String
    /// The decoded content; nil if the lines between are not base64, as with keys that are encrypted in the old format.
    let content: Data?

    /// Reads the blocks of a text, in their order; text around them is skipped.
    static func blocks(of data: Data) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var label: String?
        var body: [UInt8] = []
        for line in data.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            if label == nil {
                label = Self.label(of: line, after: "-----BEGIN ")
                body.removeAll(keepingCapacity: true)
            } else if let last = Self.label(of: line, after: "-----END ") {
                if let label, label == last {
                    blocks.append(PEMBlock(label: label, content: Data(base64Encoded: Data(body))))
                }
                label = nil
            } else {
                body += line.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            }
        }
        return blocks
    }

    private static func label(of line: Data, after prefix: String) -> String? {
        var line = line[...]
        while let last = line.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { line.removeLast() }
        let end = "-----".utf8
        guard line.count > prefix.utf8.count + end.count, line.starts(with: prefix.utf8),
            line.suffix(end.count).elementsEqual(end)
        else { return nil }
        return String(decoding: line.dropFirst(prefix.utf8.count).dropLast(end.count), as: UTF8.self)
    }

    /// Encodes bytes in this format, with a line end.
    static func text(label: String, _ content: Data) -> String {
        let options: Data.Base64EncodingOptions = [.lineLength64Characters, .endLineWithLineFeed]
        return "-----BEGIN \(label)-----\n\(content.base64EncodedString(options: options))\n-----END \(label)-----\n"
    }
}
