#if canImport(FoundationNetworking)
internal import HTTPSyntax

extension URLReference {
    /// The reference with what may not stand in a URL percent-encoded, as servers send spaces and UTF-8 in a Location;
    /// the host is left to Foundation, which knows how international names are written.
    var percentEncoded: URLReference {
        var encoded = self
        encoded.path = Self.encode(path)
        encoded.query = query.map(Self.encode)
        encoded.fragment = fragment.map(Self.encode)
        return encoded
    }

    private static func encode(_ text: String) -> String { PercentEncoding.escaping(text, unless: isAllowed) }

    /// Unreserved characters, delimiters, and those that path, query and fragment have in common.
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
