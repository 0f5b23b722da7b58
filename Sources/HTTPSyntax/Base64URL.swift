internal import Foundation

extension Sequence<UInt8> {
    /// The bytes in base64url without padding (RFC 4648, section 5).
    package var base64URL: String {
        let text = Data(self).base64EncodedString()
        let letters = text.utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: Array(letters), as: UTF8.self)
    }
}
