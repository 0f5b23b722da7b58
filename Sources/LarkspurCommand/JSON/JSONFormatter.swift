import JSONSyntax
import Larkspur

/// The layout of JSON for readers: each member is on its own line, with colours if they are requested.
///
/// The text is written in chunks. Only the first levels are indented, so that deep nesting does not make a short text
/// very long.
struct JSONFormatter {
    /// The number of levels that are indented, by four blanks for each level.
    static let deepestIndentation = 20
    /// The minimum length of a chunk in bytes. Only the last chunk can be shorter.
    static let chunkLength = 1 << 16

    private static let indentation = Array(repeating: UInt8(ascii: " "), count: 4 * deepestIndentation)

    let palette: Palette

    /// Writes the formatted text, without a final line break. Names, their order, and the digits of numbers stay
    /// unchanged.
    /// - Returns: False if the text is not JSON. In that case, nothing is written.
    func format<Failure: Error>(
        _ text: String,
        write: (Data) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        try lay(out: Array(text.utf8), keepsLayout: false, write)
    }

    /// Writes the text with colours, and with its original white space.
    /// - Returns: False if the text is not JSON. In that case, nothing is written.
    func paint<Failure: Error>(
        _ text: String,
        write: (Data) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        try lay(out: Array(text.utf8), keepsLayout: true, write)
    }

    private func lay<Failure: Error>(
        out bytes: [UInt8],
        keepsLayout: Bool,
        _ write: (Data) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        // The text is read twice: all of it must be valid JSON before any part is printed as JSON.
        guard JSONScanner.accepts(bytes) else { return false }
        var scanner = JSONScanner(bytes)
        var output = Data()
        var depth = 0
        var previous: JSONScanner.Token?
        while let token = try? scanner.next() {
            if keepsLayout {
                output += bytes[(previous?.range.upperBound ?? 0)..<token.range.lowerBound]
            } else {
                if token.kind.closes { depth -= 1 }
                Self.separate(token.kind, from: previous?.kind, depth, &output)
                if token.kind.opens { depth += 1 }
            }
            palette.paint(bytes[token.range], token.kind.ink, &output)
            previous = token
            if output.count >= Self.chunkLength {
                try write(output)
                output = Data()
            }
        }
        try write(output)
        return true
    }

    /// Writes the blanks and the line break between two tokens.
    private static func separate(
        _ kind: JSONScanner.Token.Kind,
        from previous: JSONScanner.Token.Kind?,
        _ depth: Int,
        _ output: inout Data
    ) {
        if previous == .colon { output.append(UInt8(ascii: " ")) }
        let isEmpty = previous?.opens == true && kind.closes
        guard !isEmpty, kind.closes || previous?.opens == true || previous == .comma else { return }
        output.append(UInt8(ascii: "\n"))
        output += indentation.prefix(4 * max(0, depth))
    }
}

extension JSONScanner.Token.Kind {
    fileprivate var opens: Bool { self == .beginObject || self == .beginArray }
    fileprivate var closes: Bool { self == .endObject || self == .endArray }

    fileprivate var ink: Palette.Ink? {
        switch self {
        case .name: .name
        case .string: .string
        case .number: .number
        case .bool, .null: .word
        case .beginObject, .endObject, .beginArray, .endArray, .colon, .comma: nil
        }
    }
}
