#if canImport(FoundationNetworking)

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

    private static func encode(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            if isAllowed(byte) || byte == UInt8(ascii: "%") && isEscape(bytes[index...]) {
                output.append(byte)
            } else {
                output += [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 15)]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func isEscape(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count > 2
            && bytes.dropFirst().prefix(2).allSatisfy { byte in
                byte.isDigit || byte.asLowercase &- UInt8(ascii: "a") < 6
            }
    }

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

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

#endif
