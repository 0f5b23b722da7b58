/// The layout of JSON for a reader: each member in a line of its own, with colours on request.
struct JSONFormatter {
    let palette: Palette

    /// Returns the formatted text, without a final line break; nil if the text is no JSON. Names, their order, and the
    /// digits of numbers stay as they are.
    func format(_ text: String) -> String? { lay(out: text, keepsLayout: false) }

    /// Returns the text with colours in the layout that it has; nil if it is no JSON.
    func paint(_ text: String) -> String? { lay(out: text, keepsLayout: true) }

    private func lay(out text: String, keepsLayout: Bool) -> String? {
        let bytes = Array(text.utf8)
        var scanner = JSONScanner(bytes)
        var output = ""
        output.reserveCapacity(bytes.count + bytes.count / 2)
        var depth = 0
        var previous: JSONScanner.Token?
        do throws(JSONScanner.Failure) {
            while let token = try scanner.next() {
                if keepsLayout {
                    output += String(
                        decoding: bytes[(previous?.range.upperBound ?? 0)..<token.range.lowerBound],
                        as: UTF8.self
                    )
                } else {
                    if token.kind.closes { depth -= 1 }
                    Self.separate(token.kind, from: previous?.kind, depth, &output)
                    if token.kind.opens { depth += 1 }
                }
                output += palette.paint(String(decoding: bytes[token.range], as: UTF8.self), token.kind.ink)
                previous = token
            }
        } catch {
            return nil
        }
        return output
    }

    /// Writes the blanks and the line break between two tokens.
    private static func separate(
        _ kind: JSONScanner.Token.Kind,
        from previous: JSONScanner.Token.Kind?,
        _ depth: Int,
        _ output: inout String
    ) {
        if previous == .colon { output += " " }
        let isEmpty = previous?.opens == true && kind.closes
        guard !isEmpty, kind.closes || previous?.opens == true || previous == .comma else { return }
        output += "\n" + String(repeating: "    ", count: depth)
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
