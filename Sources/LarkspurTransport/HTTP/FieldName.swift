#if canImport(FoundationNetworking)

/// A response field's name in its canonical spelling, and what the engine itself reads the field for.
struct FieldName: Sendable {
    enum Role: Sendable {
        case plain, contentLength, location, setCookie, challenge, proxyChallenge
    }

    let text: String
    let role: Role

    private init(_ text: String, _ role: Role = .plain) {
        self.text = text
        self.role = role
    }

    /// The name that was sent as `bytes`, or nil when they are not a token.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty, bytes.allSatisfy(\.isToken) else { return nil }
        if let common = Self.common(bytes) {
            self = common
        } else {
            self.init(Self.canonical(bytes), .plain)
        }
    }

    init?(_ name: String) {
        var name = name
        guard let made = name.withUTF8({ Self(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = made
    }

    /// Finding a common name costs no allocation, unlike spelling one.
    private static func common(_ bytes: UnsafeRawBufferPointer) -> FieldName? {
        guard bytes.count < commonByLength.count else { return nil }
        for candidate in commonByLength[bytes.count] where candidate.text.matches(bytes) {
            return candidate
        }
        return nil
    }

    /// Words begin with a capital, as in `HTTPURLResponse`, which leaves only names beginning with X- as they were sent.
    private static func canonical(_ bytes: UnsafeRawBufferPointer) -> String {
        if bytes.count > 1, bytes[0] | 0x20 == UInt8(ascii: "x"), bytes[1] == UInt8(ascii: "-") {
            return String(decoding: bytes, as: UTF8.self)
        }
        return String(unsafeUninitializedCapacity: bytes.count) { output in
            var isInsideWord = false
            for (index, byte) in bytes.enumerated() {
                let lowercase = byte.asLowercase
                let isLetter = lowercase &- UInt8(ascii: "a") < 26
                output[index] = isLetter && !isInsideWord ? lowercase & 0xDF : lowercase
                isInsideWord = isLetter || isInsideWord && isPartOfWord(byte)
            }
            return bytes.count
        }
    }

    /// Foundation takes these three for marks on a letter, and every other byte for the end of a word.
    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "'") || byte == UInt8(ascii: "^") || byte == UInt8(ascii: "`")
    }

    private static let commonByLength: [[FieldName]] = {
        let names: [FieldName] = [
            .init("Accept-Ranges"), .init("Access-Control-Allow-Credentials"), .init("Access-Control-Allow-Headers"),
            .init("Access-Control-Allow-Methods"), .init("Access-Control-Allow-Origin"),
            .init("Access-Control-Expose-Headers"), .init("Age"), .init("Allow"), .init("Alt-Svc"),
            .init("Cache-Control"), .init("Cf-Cache-Status"), .init("Cf-Ray"), .init("Connection"),
            .init("Content-Disposition"), .init("Content-Encoding"), .init("Content-Language"),
            .init("Content-Length", .contentLength), .init("Content-Location"), .init("Content-Range"),
            .init("Content-Security-Policy"), .init("Content-Type"), .init("Date"), .init("Etag"), .init("Expires"),
            .init("Keep-Alive"), .init("Last-Modified"), .init("Link"), .init("Location", .location),
            .init("Pragma"), .init("Proxy-Authenticate", .proxyChallenge), .init("Referrer-Policy"),
            .init("Retry-After"), .init("Server"), .init("Set-Cookie", .setCookie),
            .init("Strict-Transport-Security"), .init("Trailer"), .init("Transfer-Encoding"), .init("Upgrade"),
            .init("Vary"), .init("Via"), .init("Warning"), .init("WWW-Authenticate", .challenge),
        ]
        var byLength: [[FieldName]] = []
        for name in names {
            while byLength.count <= name.text.utf8.count { byLength.append([]) }
            byLength[name.text.utf8.count].append(name)
        }
        return byLength
    }()
}

extension String {
    /// Compares with the bytes of a token of the same length, without regard to the case of letters.
    fileprivate func matches(_ token: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        for byte in utf8 {
            guard byte | 0x20 == token[index] | 0x20 else { return false }
            index += 1
        }
        return true
    }
}

#endif
