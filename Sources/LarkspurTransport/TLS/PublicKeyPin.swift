internal import HTTPSyntax

/// The hash of a required public key of a server. It is SHA-256 of the key's SubjectPublicKeyInfo (RFC 7469, section
/// 2.4).
///
/// A pin belongs to a key, not to a certificate. If a certificate is renewed for the same key, the pin remains valid.
public struct PublicKeyPin: Sendable, Hashable {
    /// The 32 bytes of the hash.
    public let sha256: Data

    /// Creates the pin of a certificate's key.
    public init(certificate: TLSCertificate) { self.init(certificate.key) }

    /// Creates a pin from a hash that was computed elsewhere.
    /// - Parameter base64: The hash in base64, optionally after `sha256/` or `sha256//`.
    /// - Throws: A ``TLSConfigurationError`` with the reason `malformedPin` if the text is not a hash of 32 bytes.
    public init(sha256 base64: String) throws(TLSConfigurationError) {
        var text = base64[...]
        if text.begins(with: "sha256/") {
            text = text.dropFirst(7)
            // A hash can also begin with a slash. In base64, 32 bytes have 44 characters.
            if text.begins(with: "/"), text.utf8.count > 44 { text = text.dropFirst() }
        }
        guard let hash = Data(base64Encoded: String(text)), hash.count == 32 else {
            throw TLSConfigurationError(.malformedPin, "“\(base64)” is no SHA-256 hash in base64.")
        }
        sha256 = hash
    }

    /// Creates the pin of a public key without a certificate, such as a backup key.
    /// - Parameter data: The public key in PEM (`PUBLIC KEY` or `RSA PUBLIC KEY`) or DER.
    /// - Throws: A ``TLSConfigurationError`` with the reason `malformedKey` if the data is not a public key. Private
    ///   keys are not accepted. `openssl pkey -pubout` extracts the public key from a private key.
    public init(publicKey data: Data) throws(TLSConfigurationError) {
        let data = Data(data)
        let blocks = data.first == DERReader.Tag.sequence ? [] : PEMBlock.blocks(of: data)
        let block = blocks.first { $0.label == "PUBLIC KEY" || $0.label == "RSA PUBLIC KEY" }
        if block == nil, blocks.contains(where: { $0.label.ends(with: "PRIVATE KEY") }) {
            throw TLSConfigurationError(
                .malformedKey,
                "This is a private key; a pin is made of the public one, which “openssl pkey -pubout” gives."
            )
        }
        let der = blocks.isEmpty ? data : block?.content ?? Data()
        guard let key = SubjectPublicKeyInfo(publicKey: der) else {
            throw TLSConfigurationError(.malformedKey, "The data are no public key, neither in PEM nor in DER.")
        }
        self.init(key)
    }

    /// Creates the pin of a public key in a file.
    /// - Parameter file: The file with the public key, in PEM (`PUBLIC KEY` or `RSA PUBLIC KEY`) or DER.
    /// - Throws: A ``TLSConfigurationError``. Its reason is `fileUnreadable` if the file cannot be read, and
    ///   `malformedKey` if it contains no public key.
    public init(publicKeyContentsOf file: URL) throws(TLSConfigurationError) {
        self = try Self(publicKey: TLSConfigurationError.contents(of: file))
    }

    init(_ key: SubjectPublicKeyInfo) { sha256 = Data(SHA256.hash(key.encoding)) }

    /// The hash in base64.
    public var base64: String { sha256.base64EncodedString() }
}

extension PublicKeyPin: CustomStringConvertible {
    /// The hash in base64 after `sha256/`.
    public var description: String { "sha256/" + base64 }
}

/// A public key with its algorithm (RFC 5280, section 4.1.2.7). A pin is a hash of these bytes.
struct SubjectPublicKeyInfo: Equatable {
    /// The key in DER.
    let encoding: Data

    init(encoding: Data) { self.encoding = encoding }

    /// Reads the key of a certificate (RFC 5280, section 4.1). Returns nil if the bytes are not a certificate.
    init?(certificate: Data) {
        guard var outer = DERReader.sequence(ArraySlice(certificate)),
            let body = outer.read(DERReader.Tag.sequence), outer.read(DERReader.Tag.sequence) != nil,
            outer.read(DERReader.Tag.bitString) != nil, outer.isAtEnd
        else { return nil }
        var fields = DERReader(body.content)
        if fields.nextTag == DERReader.Tag.version, fields.read() == nil { return nil }
        guard fields.read(DERReader.Tag.integer) != nil else { return nil }
        // The four sequences are the algorithm of the signature, the issuer, the validity and the subject.
        for _ in 0..<4 where fields.read(DERReader.Tag.sequence) == nil { return nil }
        guard let key = fields.read(DERReader.Tag.sequence), Self.isKey(key.encoding) else { return nil }
        encoding = Data(key.encoding)
    }

    /// Reads a public key without a certificate. It is a key with its algorithm, or an RSA key without an algorithm
    /// (RFC 8017, appendix A.1.1).
    init?(publicKey: Data) {
        let bytes = ArraySlice(publicKey)
        if Self.isKey(bytes) {
            encoding = publicKey
        } else if Self.isBareRSAKey(bytes) {
            let algorithm = DERReader.encoded(DERReader.Tag.sequence, Self.rsaEncryption)
            let key = DERReader.encoded(DERReader.Tag.bitString, [0] + bytes)
            encoding = Data(DERReader.encoded(DERReader.Tag.sequence, algorithm + key))
        } else {
            return nil
        }
    }

    /// The object identifier 1.2.840.113549.1.1.1 and its parameters, which are NULL (RFC 3279, section 2.3.1).
    private static let rsaEncryption: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    private static func isKey(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard var fields = DERReader.sequence(bytes), let algorithm = fields.read(DERReader.Tag.sequence),
            let key = fields.read(DERReader.Tag.bitString), fields.isAtEnd, key.content.count > 1
        else { return false }
        var identifier = DERReader(algorithm.content)
        return identifier.read(DERReader.Tag.objectIdentifier) != nil
    }

    private static func isBareRSAKey(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard var fields = DERReader.sequence(bytes) else { return false }
        return fields.read(DERReader.Tag.integer) != nil && fields.read(DERReader.Tag.integer) != nil && fields.isAtEnd
    }
}

/// The pins of a host. One key in the host's certificate chain has to match one of the pins.
public struct HostPins: Sendable, Hashable {
    /// The host's name in lower case. An international name is in its ASCII form.
    public let host: String
    /// Whether the pins also apply to all subdomains. Default: false.
    public let includesSubdomains: Bool
    /// The keys that the server uses.
    public let pins: Set<PublicKeyPin>
    /// The keys in reserve, in case the server loses its current keys.
    public let backupPins: Set<PublicKeyPin>

    /// Creates the pins of a host. One certificate of the host's chain has to have one of the keys.
    ///
    /// With a pin for the server's own key, only certificates for this key are accepted. With a pin for an authority's
    /// key, every certificate that the authority issues for the host is accepted. If the server loses its key and there
    /// is no backup pin, the server is refused by every client that is not updated.
    /// - Parameters:
    ///   - host: The name or address of the host, without scheme and port.
    ///   - includesSubdomains: Whether the pins also apply to all subdomains. Default: false.
    ///   - pins: The keys that the server uses. If both `pins` and `backupPins` are empty, no server is accepted.
    ///   - backupPins: The keys in reserve, which are accepted too. Default: none.
    /// - Throws: A ``TLSConfigurationError`` with the reason `malformedHost` if the text is not a host name or address.
    ///   Pins for such a text would protect nothing.
    public init(
        _ host: String,
        includesSubdomains: Bool = false,
        pins: Set<PublicKeyPin>,
        backupPins: Set<PublicKeyPin> = []
    ) throws(TLSConfigurationError) {
        self.host = try Self.canonicalName(host)
        self.includesSubdomains = includesSubdomains
        self.pins = pins
        self.backupPins = backupPins
    }

    /// Returns the canonical form of a host's name.
    static func canonicalName(_ host: String) throws(TLSConfigurationError) -> String {
        guard let name = (try? CanonicalHost(named: host))?.name else {
            throw TLSConfigurationError(
                .malformedHost,
                "“\(host)” is no host: give its name alone, such as api.example.com, and includesSubdomains for those below it."
            )
        }
        return name
    }
}

#if canImport(FoundationNetworking)
/// The pins of all hosts.
struct PinTable: Sendable {
    private var hosts: [TextKey: Set<PublicKeyPin>] = [:]
    private var domains: [TextKey: Set<PublicKeyPin>] = [:]
    /// The pins that apply to every host; nil if there are no such pins.
    private let everywhere: Set<PublicKeyPin>?

    init(_ pins: [HostPins], everywhere: Set<PublicKeyPin>? = nil) {
        self.everywhere = everywhere
        for pin in pins {
            let keys = pin.pins.union(pin.backupPins)
            if pin.includesSubdomains {
                domains[pin.host, default: []].formUnion(keys)
            } else {
                hosts[pin.host, default: []].formUnion(keys)
            }
        }
    }

    var isEmpty: Bool { hosts.isEmpty && domains.isEmpty && everywhere == nil }

    /// Returns sets of keys. A server must have at least one key of each set. If there are pins without subdomains for
    /// this name, only these pins apply. Otherwise, the pins of the longest domain that contains the name apply.
    /// - Parameter name: The name in its canonical form.
    func requirements(for name: String) -> [Set<PublicKeyPin>] {
        var requirements: [Set<PublicKeyPin>] = []
        if let everywhere { requirements.append(everywhere) }
        if let own = hosts[name] ?? domain(of: name) { requirements.append(own) }
        return requirements
    }

    private func domain(of name: String) -> Set<PublicKeyPin>? {
        guard !domains.isEmpty else { return nil }
        var rest = name[...]
        while true {
            if let keys = domains[String(rest)] { return keys }
            guard let (_, parent) = rest.cut(at: ".") else { return nil }
            rest = parent
        }
    }
}
#endif
