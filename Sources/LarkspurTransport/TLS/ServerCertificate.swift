internal import HTTPSyntax

/// A certificate that a server has sent, or the trusted certificate above it (RFC 5280). A ``ServerTrustEvaluator``
/// gets it.
///
/// The fields are read from the DER. If a field is missing or malformed, it is nil or empty.
public struct ServerCertificate: Sendable, Hashable {
    /// The certificate in DER.
    public let der: Data
    /// The owner in the notation of RFC 4514, such as `CN=api.example.com,O=Example`.
    public private(set) var subject: String?
    /// The authority that has issued the certificate, in the notation of RFC 4514.
    public private(set) var issuer: String?
    /// The serial number, with the most significant byte first.
    public private(set) var serialNumber: Data?
    /// The beginning of the validity.
    public private(set) var notBefore: Date?
    /// The end of the validity.
    public private(set) var notAfter: Date?
    /// The host names of the subjectAltName, such as `*.example.com`.
    public private(set) var dnsNames: [String] = []
    /// The addresses of the subjectAltName, such as `192.0.2.7` or `2001:db8::1`.
    public private(set) var addresses: [String] = []
    /// The URIs of the subjectAltName, such as `spiffe://example.com/service`.
    public private(set) var uris: [String] = []
    /// The mail addresses of the subjectAltName.
    public private(set) var emailAddresses: [String] = []
    /// The SHA-256 hash of the public key (SubjectPublicKeyInfo).
    public private(set) var publicKeyPin: PublicKeyPin?

    /// Reads the fields of a certificate. Any bytes are accepted.
    /// - Parameter der: The certificate in DER.
    public init(der: Data) {
        self.der = der
        guard var outer = DERReader.sequence(ArraySlice(der)), let body = outer.read(DERReader.Tag.sequence) else {
            return
        }
        var fields = DERReader(body.content)
        _ = fields.read(DERReader.Tag.version)
        guard let number = fields.read(DERReader.Tag.integer) else { return }
        serialNumber = Data(
            number.content.count > 1 && number.content.first == 0 ? number.content.dropFirst() : number.content
        )
        guard fields.read(DERReader.Tag.sequence) != nil, let issuer = fields.read(DERReader.Tag.sequence) else {
            return
        }
        self.issuer = DistinguishedName.text(issuer.content)
        guard let validity = fields.read(DERReader.Tag.sequence) else { return }
        var dates = DERReader(validity.content)
        notBefore = dates.read()?.date
        notAfter = dates.read()?.date
        guard let subject = fields.read(DERReader.Tag.sequence) else { return }
        self.subject = DistinguishedName.text(subject.content)
        guard let key = fields.read(DERReader.Tag.sequence) else { return }
        publicKeyPin = PublicKeyPin(SubjectPublicKeyInfo(encoding: Data(key.encoding)))
        readNames(&fields)
    }

    // MARK: Names

    private static let extensions: UInt8 = 0xA3
    /// The object identifier 2.5.29.17.
    private static let subjectAltName: [UInt8] = [0x55, 0x1D, 0x11]

    /// Reads the subjectAltName (RFC 5280, section 4.2.1.6). A certificate must not have two of them.
    private mutating func readNames(_ fields: inout DERReader) {
        while let tag = fields.nextTag, tag != Self.extensions { guard fields.read() != nil else { return } }
        guard let wrapper = fields.read(), var list = DERReader.sequence(wrapper.content) else { return }
        var names: DERReader?
        while let item = list.read(DERReader.Tag.sequence) {
            var parts = DERReader(item.content)
            guard let identifier = parts.read(DERReader.Tag.objectIdentifier),
                identifier.content.elementsEqual(Self.subjectAltName)
            else { continue }
            _ = parts.read(DERReader.Tag.boolean)
            guard names == nil, let value = parts.read(DERReader.Tag.octetString), parts.isAtEnd else { return }
            names = DERReader.sequence(value.content)
        }
        guard var names, list.isAtEnd else { return }
        while let name = names.read() {
            switch name.tag {
            case 0x81: Self.text(name.content).map { emailAddresses.append($0) }
            case 0x82: Self.text(name.content).map { dnsNames.append($0) }
            case 0x86: Self.text(name.content).map { uris.append($0) }
            case 0x87 where name.content.count == 4 || name.content.count == 16:
                addresses.append(IPAddress(bytes: Array(name.content)).text)
            default: break
            }
        }
    }

    /// Returns text without blanks and control characters. A null byte could otherwise end a name too early.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.allSatisfy { (0x21...0x7E).contains($0) } ? String(decoding: bytes, as: UTF8.self) : nil
    }
}

extension ServerCertificate: CustomStringConvertible {
    /// The subject, on one line.
    public var description: String { "certificate of \(subject ?? "an unreadable subject")" }
}

/// The notation of names in certificates (RFC 4514).
enum DistinguishedName {
    /// Returns the text of a name; nil if it is malformed.
    /// - Parameter content: The relative names, which are sets of attributes.
    static func text(_ content: ArraySlice<UInt8>) -> String? {
        var names = DERReader(content)
        var parts: [String] = []
        while let name = names.read(DERReader.Tag.set) {
            var attributes = DERReader(name.content)
            var texts: [String] = []
            while let attribute = attributes.read(DERReader.Tag.sequence) {
                guard let text = text(ofAttribute: attribute.content) else { return nil }
                texts.append(text)
            }
            guard attributes.isAtEnd, !texts.isEmpty else { return nil }
            parts.append(texts.joined(separator: "+"))
        }
        // The most significant part comes last.
        return names.isAtEnd ? parts.reversed().joined(separator: ",") : nil
    }

    private static func text(ofAttribute content: ArraySlice<UInt8>) -> String? {
        var fields = DERReader(content)
        guard let type = fields.read(DERReader.Tag.objectIdentifier), let value = fields.read(), fields.isAtEnd,
            let number = DottedIdentifier.text(type.content)
        else { return nil }
        let name = names[number]
        guard let name, let text = string(value) else {
            return "\(name ?? number)=#" + value.encoding.reduce(into: "") { $0 += hexadecimal($1) }
        }
        return name + "=" + escaped(text)
    }

    private static let names: [TextKey: String] = [
        "2.5.4.3": "CN", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.9": "STREET", "2.5.4.10": "O",
        "2.5.4.11": "OU", "0.9.2342.19200300.100.1.1": "UID", "0.9.2342.19200300.100.1.25": "DC",
    ]

    /// Returns the text of one of the string types; nil for other types and for bytes that are no text.
    private static func string(_ value: DERReader.Value) -> String? {
        switch value.tag {
        // UTF8String.
        case 0x0C: return String(validating: value.content, as: UTF8.self)
        // NumericString, PrintableString, IA5String and VisibleString are ASCII.
        case 0x12, 0x13, 0x16, 0x1A:
            return value.content.allSatisfy { $0 < 0x80 } ? String(decoding: value.content, as: UTF8.self) : nil
        // BMPString.
        case 0x1E where value.content.count.isMultiple(of: 2):
            let start = value.content.startIndex
            let units = stride(from: 0, to: value.content.count, by: 2).map { offset in
                UInt16(value.content[start + offset]) << 8 | UInt16(value.content[start + offset + 1])
            }
            return String(validating: units, as: UTF16.self)
        default: return nil
        }
    }

    private static func escaped(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        return scalars.enumerated().reduce(into: "") { result, item in
            let (index, scalar) = item
            switch scalar {
            case "\"", "+", ",", ";", "<", ">", "\\": result += "\\\(scalar)"
            case "#" where index == 0: result += "\\#"
            case " " where index == 0 || index == scalars.count - 1: result += "\\ "
            case _ where scalar.properties.generalCategory == .control:
                for byte in String(scalar).utf8 { result += "\\" + hexadecimal(byte) }
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}

/// The notation of object identifiers as numbers with dots.
enum DottedIdentifier {
    /// Returns the text; nil if the encoding is malformed or a number is too large.
    static func text(_ content: ArraySlice<UInt8>) -> String? {
        var numbers: [UInt64] = []
        var number: UInt64 = 0
        var isWithin = false
        for byte in content {
            // A leading zero digit is malformed. The limit leaves room for the next digit.
            guard isWithin || byte != 0x80, number < 1 << 56 else { return nil }
            number = number << 7 | UInt64(byte & 0x7F)
            isWithin = byte & 0x80 != 0
            guard !isWithin else { continue }
            if numbers.isEmpty {
                let first = min(number / 40, 2)
                numbers = [first, number - 40 * first]
            } else {
                numbers.append(number)
            }
            number = 0
        }
        guard !isWithin, !numbers.isEmpty else { return nil }
        return numbers.map { String($0) }.joined(separator: ".")
    }
}
