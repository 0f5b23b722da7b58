/// A certificate (RFC 5280), for use as a trusted root or to make pins.
///
/// It is parsed when it is created, so that a missing file or a damaged certificate is found before there is a session.
public struct TLSCertificate: Sendable, Hashable {
    /// The certificate in DER, as servers send it.
    public let der: Data
    let key: SubjectPublicKeyInfo

    /// Reads one certificate from data.
    /// - Parameter data: The certificate in PEM or DER; of several certificates in PEM the first one is used.
    /// - Throws: A ``TLSConfigurationError``: `malformedCertificate` if there is none, or if one of them is damaged.
    public init(_ data: Data) throws(TLSConfigurationError) {
        guard let first = try Self.certificates(in: data).first else { throw Self.malformed("There is no certificate") }
        self = first
    }

    /// Reads one certificate from a file.
    /// - Parameter file: The file with the certificate in PEM or DER; of several certificates in PEM the first one is
    ///   used.
    /// - Throws: A ``TLSConfigurationError``: `fileUnreadable` if the file cannot be read, `malformedCertificate` if
    ///   there is no certificate, or if one of them is damaged.
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
    /// - Parameter data: One certificate in DER, or any number in PEM; other PEM blocks are skipped.
    /// - Throws: A ``TLSConfigurationError``: `malformedCertificate` if there is none, or if one of them is damaged.
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
    /// - Parameter file: The file with one certificate in DER, or any number in PEM; other PEM blocks are skipped.
    /// - Throws: A ``TLSConfigurationError``: `fileUnreadable` if the file cannot be read, `malformedCertificate` if
    ///   there is no certificate, or if one of them is damaged.
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
    /// The pin of the certificate's key, in a short text.
    public var description: String { "certificate with the key \(PublicKeyPin(certificate: self))" }
}
