/// A certificate (RFC 5280), as a root to trust, or to make pins of.
///
/// It is read when it is made, so that a missing file or a damaged certificate is known before there is a session.
public struct TLSCertificate: Sendable, Hashable {
    /// The certificate in DER, as servers send it.
    public let der: Data
    let key: SubjectPublicKeyInfo

    /// Reads one certificate.
    /// - Parameter data: PEM or DER; of several certificates in PEM the first counts.
    /// - Throws: `malformedCertificate`.
    public init(_ data: Data) throws(TLSConfigurationError) {
        guard let first = try Self.certificates(in: data).first else { throw Self.malformed("There is no certificate") }
        self = first
    }

    /// Reads one certificate.
    /// - Parameter file: A file in PEM or DER; of several certificates in PEM the first counts.
    /// - Throws: `fileUnreadable`, `malformedCertificate`.
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
    /// - Parameter data: One certificate in DER, or any number in PEM; other blocks of PEM are passed over.
    /// - Throws: `malformedCertificate` if there is none, or one of them is damaged.
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
    /// - Parameter file: A file with one certificate in DER, or any number in PEM; other blocks of PEM are passed over.
    /// - Throws: `fileUnreadable`; `malformedCertificate` if there is none, or one of them is damaged.
    public static func certificates(contentsOf file: URL) throws(TLSConfigurationError) -> [TLSCertificate] {
        try certificates(in: TLSConfigurationError.contents(of: file))
    }

    private static let labels = ["CERTIFICATE", "X509 CERTIFICATE"]

    private static func malformed(_ text: String) -> TLSConfigurationError {
        TLSConfigurationError(.malformedCertificate, text + ".")
    }

    /// The certificate in PEM.
    public var pem: String { PEMBlock.text(label: "CERTIFICATE", der) }

    /// Certificates are equal when their bytes are.
    public static func == (left: TLSCertificate, right: TLSCertificate) -> Bool { left.der == right.der }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension TLSCertificate: CustomStringConvertible {
    /// The pin of its key.
    public var description: String { "certificate with the key \(PublicKeyPin(certificate: self))" }
}
