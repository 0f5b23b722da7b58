#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The name of a response field in its canonical spelling, and the role of the field in the engine.
struct FieldName: Sendable {
    enum Role: Sendable {
        case plain, contentLength, transferEncoding, location, setCookie, challenge, proxyChallenge
        case strictTransport
        /// A name that begins with X-. It retains the server's spelling.
        case spelledAsSent
    }

    let text: String
    let role: Role

    /// Whether the field can determine the end of the content.
    var isFraming: Bool { role == .contentLength || role == .transferEncoding }

    private init(spelled text: String, _ role: Role = .plain) {
        self.text = text
        self.role = role
    }

    /// Creates the name of the received `bytes`; nil if they are not a token.
    init?(_ bytes: UnsafeRawBufferPointer) {
        if let common = Self.common(bytes) {
            self = common
            return
        }
        guard !bytes.isEmpty, bytes.allSatisfy(\.isToken) else { return nil }
        if bytes.count > 1, bytes[0] | 0x20 == UInt8(ascii: "x"), bytes[1] == UInt8(ascii: "-") {
            self.init(spelled: String(decoding: bytes, as: UTF8.self), .spelledAsSent)
        } else {
            self.init(spelled: Self.canonical(bytes))
        }
    }

    init?(_ name: String) {
        var name = name
        guard let made = name.withUTF8({ Self(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = made
    }

    /// Finds a common name without allocating a string.
    private static func common(_ bytes: UnsafeRawBufferPointer) -> FieldName? {
        guard bytes.count < commonByLength.count, bytes.count > 1 else { return nil }
        let ends = ends(bytes)
        for candidate in commonByLength[bytes.count] where candidate.ends == ends && candidate.matches(bytes) {
            return candidate.name
        }
        return nil
    }

    private static func ends(_ bytes: UnsafeRawBufferPointer) -> UInt16 {
        UInt16(bytes[0] | 0x20) << 8 | UInt16(bytes[bytes.count - 1] | 0x20)
    }

    /// Spells a name with capital letters at the beginning of its words, as `HTTPURLResponse` does. Only a name that
    /// begins with X- retains its spelling.
    private static func canonical(_ bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: bytes.count) { output in
            var isInsideWord = false
            for (index, byte) in bytes.enumerated() {
                let lowercase = byte.asLowercase
                output[index] = byte.isLetter && !isInsideWord ? lowercase & 0xDF : lowercase
                isInsideWord = byte.isLetter || isInsideWord && isPartOfWord(byte)
            }
            return bytes.count
        }
    }

    /// Whether Foundation considers the byte a part of a word. Every other byte ends a word.
    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "'") || byte == UInt8(ascii: "^") || byte == UInt8(ascii: "`")
    }

    private static let commonByLength: [[Common]] = {
        let plain = [
            "Accept-Ranges", "Access-Control-Allow-Credentials", "Access-Control-Allow-Headers",
            "Access-Control-Allow-Methods", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Age",
            "Allow", "Alt-Svc", "Cache-Control", "Cf-Cache-Status", "Cf-Ray", "Connection", "Content-Disposition",
            "Content-Encoding", "Content-Language", "Content-Location", "Content-Range", "Content-Security-Policy",
            "Content-Type", "Date", "Etag", "Expires", "Keep-Alive", "Last-Modified", "Link", "Pragma",
            "Referrer-Policy", "Retry-After", "Server", "Trailer", "Upgrade", "Vary", "Via", "Warning",
        ]
        let names =
            plain.map { FieldName(spelled: $0) } + [
                FieldName(spelled: "Content-Length", .contentLength), FieldName(spelled: "Location", .location),
                FieldName(spelled: "Proxy-Authenticate", .proxyChallenge),
                FieldName(spelled: "Set-Cookie", .setCookie), FieldName(spelled: "WWW-Authenticate", .challenge),
                FieldName(spelled: "Strict-Transport-Security", .strictTransport),
                FieldName(spelled: "Transfer-Encoding", .transferEncoding),
            ]
        var byLength: [[Common]] = []
        for name in names {
            let bytes = Array(name.text.utf8)
            while byLength.count <= bytes.count { byLength.append([]) }
            byLength[bytes.count].append(Common(name: name, bytes: bytes, ends: bytes.withUnsafeBytes(ends)))
        }
        return byLength
    }()

    private struct Common {
        let name: FieldName
        let bytes: [UInt8]
        /// The first and the last byte. They distinguish most names of the same length.
        let ends: UInt16

        /// Whether a received name equals this name. The case of letters is ignored. Both names must have the same
        /// length.
        func matches(_ sent: UnsafeRawBufferPointer) -> Bool {
            bytes.withUnsafeBufferPointer { bytes in
                for index in 0..<bytes.count where (bytes[index] ^ sent[index]) & 0xDF != 0 || sent[index] < 0x20 {
                    return false
                }
                return true
            }
        }
    }
}

#endif
