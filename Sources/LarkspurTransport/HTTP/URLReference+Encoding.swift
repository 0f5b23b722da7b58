#if canImport(FoundationNetworking)
internal import HTTPSyntax

extension URLReference {
    /// The reference with invalid characters percent-encoded, as servers send spaces and UTF-8 in a Location. The host
    /// is left to Foundation, which encodes international names.
    var percentEncoded: URLReference {
        var encoded = self
        encoded.path = Self.encode(path)
        encoded.query = query.map(Self.encode)
        encoded.fragment = fragment.map(Self.encode)
        return encoded
    }

    private static func encode(_ text: String) -> String { PercentEncoding.escaping(text, unless: isAllowed) }

    /// Whether the byte is an unreserved character, a delimiter, or another character that path, query and fragment all
    /// allow.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "("),
            UInt8(ascii: ")"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        case UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"): false
        default: byte.isToken
        }
    }
}

#endif
