import HTTPSyntax

/// A certificate (RFC 5280), for use as a trusted root or to create pins.
///
/// A certificate is parsed when this value is created. So a missing file or a damaged certificate is found before a
/// session exists.
public struct TLSCertificate: Sendable, Hashable {
    /// The certificate in DER, as servers send it.
    public let der: Data
    let key: SubjectPublicKeyInfo

    /// Reads one certificate from data.
    /// - Parameter data: The certificate in PEM or DER. If there are several certificates in PEM, only the first one is
    ///   used.
    /// - Throws: A ``TLSConfigurationError`` with the reason `malformedCertificate` if there is no certificate, or if
    ///   one of them is damaged.
    public init(_ data: Data) throws(TLSConfigurationError) {
        guard let first = try Self.certificates(in: data).first else { throw Self.malformed("There is no certificate") }
        self = first
    }

    /// Reads one certificate from a file.
    /// - Parameter file: The file with the certificate in PEM or DER. If there are several certificates in PEM, only
    ///   the first one is used.
    /// - Throws: A ``TLSConfigurationError``. Its reason is `fileUnreadable` if the file cannot be read, and
    ///   `malformedCertificate` if there is no certificate, or if one of them is damaged.
    public init(contentsOf file: URL) throws(TLSConfigurationError) {
        self = try Self(TLSConfigurationError.contents(of: file))
    }

    private init(der: Data, name: String) throws(TLSConfigurationError) {
        guard let key = SubjectPublicKeyInfo(certificate: der) else {
            throw Self.malformed("\(name) is damaged, or is none")
        }
        self.der = der
        self.key = key
    }

    /// Reads all certificates of some data, such as a bundle of roots.
    /// - Parameter data: One certificate in DER, or any number in PEM. Other PEM blocks are skipped.
    /// - Throws: A ``TLSConfigurationError`` with the reason `malformedCertificate` if there is no certificate, or if
    ///   one of them is damaged.
    public static func certificates(in data: Data) throws(TLSConfigurationError) -> [TLSCertificate] {
        let data = Data(data)
        if data.first == DERReader.Tag.sequence { return [try TLSCertificate(der: data, name: "The certificate")] }
        var certificates: [TLSCertificate] = []
        for block in PEMBlock.blocks(of: data) where labels.contains(block.label) {
            let name = "Certificate \(certificates.count + 1)"
            guard let content = block.content else { throw malformed("\(name) is no base64") }
            certificates.append(try TLSCertificate(der: content, name: name))
        }
        guard !certificates.isEmpty else { throw malformed("The data hold no certificate, neither in PEM nor in DER") }
        return certificates
    }

    /// Reads all certificates of a file, such as a bundle of roots.
    /// - Parameter file: The file with one certificate in DER, or any number in PEM. Other PEM blocks are skipped.
    /// - Throws: A ``TLSConfigurationError``. Its reason is `fileUnreadable` if the file cannot be read, and
    ///   `malformedCertificate` if there is no certificate, or if one of them is damaged.
    public static func certificates(contentsOf file: URL) throws(TLSConfigurationError) -> [TLSCertificate] {
        try certificates(in: TLSConfigurationError.contents(of: file))
    }

    private static let labels = ["CERTIFICATE", "X509 CERTIFICATE"]

    private static func malformed(_ text: String) -> TLSConfigurationError {
        TLSConfigurationError(.malformedCertificate, text + ".")
    }

    /// The certificate in PEM.
    public var pem: String { PEMBlock.text(label: "CERTIFICATE", der) }

    /// Compares the DER bytes of two certificates.
    public static func == (left: TLSCertificate, right: TLSCertificate) -> Bool { left.der == right.der }

    /// Hashes the DER bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension TLSCertificate: CustomStringConvertible {
    /// A short text with the pin of the certificate's key.
    public var description: String { "certificate with the key \(PublicKeyPin(certificate: self))" }
}

/// A block of the text encoding of keys and certificates (RFC 7468).
struct PEMBlock: Equatable {
    /// The label in its first line, such as "CERTIFICATE".
    let label: String
    /// The decoded content. Nil if the lines are not base64, as in keys that are encrypted in the old format.
    let content: Data?

    /// Reads the blocks of a text in their order. Other text is skipped.
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

/// A reader of consecutive values in the Distinguished Encoding Rules (X.690). It never reads beyond its bytes.
///
/// It does not use OpenSSL, because Larkspur also reads certificates on systems where libcurl does not use OpenSSL.
struct DERReader {
    struct Value: Equatable {
        let tag: UInt8
        let content: ArraySlice<UInt8>
        /// The complete encoding, with tag and length.
        let encoding: ArraySlice<UInt8>
    }

    enum Tag {
        static let boolean: UInt8 = 0x01
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        static let objectIdentifier: UInt8 = 0x06
        static let utcTime: UInt8 = 0x17
        static let generalizedTime: UInt8 = 0x18
        static let sequence: UInt8 = 0x30
        static let set: UInt8 = 0x31
        /// The version, which may precede a certificate's serial number.
        static let version: UInt8 = 0xA0
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    var nextTag: UInt8? { rest.first }

    /// Reads the next value. Returns nil, and reads nothing, if there is no value, if the value is longer than the
    /// remaining bytes, or if its encoding is invalid.
    mutating func read() -> Value? {
        let whole = rest
        guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let length = readLength(), length <= rest.count else {
            rest = whole
            return nil
        }
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        return Value(tag: tag, content: content, encoding: whole[..<content.endIndex])
    }

    /// If the next value has this tag, reads it. Otherwise returns nil.
    mutating func read(_ tag: UInt8) -> Value? {
        guard nextTag == tag else { return nil }
        return read()
    }

    private mutating func readLength() -> Int? {
        guard let first = rest.popFirst() else { return nil }
        if first < 0x80 { return Int(first) }
        let count = Int(first & 0x7F)
        // No length in a certificate needs more than 4 bytes. A count of 0 means an indefinite length, which is
        // invalid.
        guard (1...4).contains(count), count <= rest.count else { return nil }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        let length = bytes.reduce(0) { $0 << 8 | Int($1) }
        // A length is valid only in its shortest form.
        return length >= 0x80 && bytes.first != 0 ? length : nil
    }
}

extension DERReader.Value {
    /// The date of a value (RFC 5280, section 4.1.2.5), which is in UTC and has seconds; nil for other values.
    var date: Date? {
        guard let last = content.last, last == UInt8(ascii: "Z") else { return nil }
        let digits = content.dropLast()
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var text = String(decoding: digits, as: UTF8.self)
        switch (tag, digits.count) {
        case (DERReader.Tag.utcTime, 12):
            text = (digits.first.map { $0 < UInt8(ascii: "5") } == true ? "20" : "19") + text
        case (DERReader.Tag.generalizedTime, 14): break
        default: return nil
        }
        let parts = [4, 2, 2, 2, 2, 2].reduce(into: (rest: text[...], found: [Substring]())) { result, count in
            result.found.append(result.rest.prefix(count))
            result.rest = result.rest.dropFirst(count)
        }.found
        return HTTPDate.parseRFC3339("\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5])Z")
    }
}

extension DERReader {
    /// Reads bytes that consist of exactly one sequence. Returns nil for other bytes.
    static func sequence(_ bytes: ArraySlice<UInt8>) -> DERReader? {
        var reader = DERReader(bytes)
        guard let value = reader.read(Tag.sequence), reader.isAtEnd else { return nil }
        return DERReader(value.content)
    }

    /// Encodes a value with its tag and length.
    static func encoded(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        let length = withUnsafeBytes(of: UInt64(content.count).bigEndian, Array.init).drop { $0 == 0 }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
