import Foundation

/// Text that preserves octets of any encoding.
///
/// HTTP does not define the encoding of field values and of user information in URLs (RFC 9110, section 5.5). A server
/// that has sent a value in ISO-8859-1 expects the same octets back. In text that is created from octets, valid UTF-8
/// is decoded, and each other octet is a private scalar, from U+10FF80 for 0x80 to U+10FFFF for 0xFF. Such text stays
/// within the library; programs get ``readable``.
extension String {
    /// Creates the text of octets. ``octets`` returns the same octets again, also if they are not UTF-8.
    package init(octets bytes: some Collection<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self), !text.hasOctets {
            self = text
            return
        }
        var scalars = UnicodeScalarView()
        var rest = bytes[...]
        while let first = rest.first {
            let sequence = rest.prefix(first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4)
            if let text = String(validating: sequence, as: UTF8.self), !text.hasOctets {
                scalars.append(contentsOf: text.unicodeScalars)
                rest = rest.dropFirst(sequence.count)
            } else {
                if let scalar = Unicode.Scalar(0x10_FF00 | UInt32(first)) { scalars.append(scalar) }
                rest = rest.dropFirst()
            }
        }
        self.init(scalars)
    }

    /// Creates text in ISO-8859-1, in which all bytes are valid.
    package init(latin1 bytes: some Collection<UInt8>) {
        self.init(UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
    }

    /// The octets of the text; its UTF-8 if it was not created from octets.
    package var octets: [UInt8] {
        guard hasOctets else { return Array(utf8) }
        return unicodeScalars.flatMap { scalar in scalar.octet.map { [$0] } ?? Array(String(scalar).utf8) }
    }

    /// Whether the text has octets that are not UTF-8.
    package var hasOctets: Bool {
        // The scalars of octets begin with this byte in UTF-8. Other characters rarely do, so one search is enough for
        // most texts.
        let mayHave =
            utf8.withContiguousStorageIfAvailable { bytes in
                bytes.baseAddress.map { memchr($0, 0xF4, bytes.count) != nil } ?? false
            } ?? true
        return mayHave && unicodeScalars.contains { $0.octet != nil }
    }

    /// The text for programs: as ISO-8859-1, if it has octets that are not UTF-8.
    package var readable: String { hasOctets ? String(latin1: octets) : self }

    /// The text with an escape of URLs, such as `%E4`, in place of each octet that is not UTF-8.
    package var escapingOctets: String {
        guard hasOctets else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if let octet = scalar.octet {
                text += "%" + String(octet, radix: 16, uppercase: true)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    fileprivate var octet: UInt8? { value >= 0x10_FF80 ? UInt8(truncatingIfNeeded: value) : nil }
}
