#if canImport(FoundationNetworking)
/// The certificate and private key with which a client proves who it is to a server that asks for that.
///
/// Every server of the session that asks gets to see the certificate, the target of a redirect too; the private key
/// never leaves the process. What is printed of it shows no secret.
public struct ClientIdentity: Sendable, Hashable {
    enum Form: Hashable {
        case pem(certificates: Data, key: Data)
        case pkcs12(Data)
    }

    let form: Form
    let passphrase: String

    private init(_ form: Form, _ passphrase: String?) {
        self.form = form
        self.passphrase = passphrase ?? ""
    }

    /// Takes a certificate and its key.
    ///
    /// Whether the passphrase is right and the key is that of the certificate shows with the first request.
    /// - Parameters:
    ///   - certificates: The client's own certificate, then those of its authorities that the server may not have; PEM,
    ///     or one certificate in DER.
    ///   - key: The private key of the first certificate, in PEM.
    ///   - passphrase: What the key is encrypted with. Default: nil, it is not.
    /// - Throws: `malformedCertificate`, `malformedKey`, `missingPassphrase`.
    public static func pem(
        certificates: Data,
        key: Data,
        passphrase: String? = nil
    ) throws(TLSConfigurationError) -> ClientIdentity {
        let chain = try TLSCertificate.certificates(in: certificates).map(\.pem).joined()
        let blocks = PEMBlock.blocks(of: key).filter { $0.label.hasSuffix("PRIVATE KEY") }
        guard let block = blocks.first else {
            throw TLSConfigurationError(.malformedKey, "The data hold no private key in PEM.")
        }
        // The old way has lines in the block that are no base64: "Proc-Type: 4,ENCRYPTED".
        let isEncrypted = block.label == "ENCRYPTED PRIVATE KEY" || block.content == nil
        if isEncrypted, passphrase == nil {
            throw TLSConfigurationError(.missingPassphrase, "The private key is encrypted, and there is no passphrase.")
        }
        return ClientIdentity(.pem(certificates: Data(chain.utf8), key: Data(key)), passphrase)
    }

    /// Takes a certificate and its key from files, as ``pem(certificates:key:passphrase:)`` does.
    /// - Parameters:
    ///   - certificateFile: The client's certificates; PEM, or one in DER.
    ///   - keyFile: The private key in PEM; it may be the same file.
    ///   - passphrase: What the key is encrypted with. Default: nil, it is not.
    /// - Throws: `fileUnreadable`, `malformedCertificate`, `malformedKey`, `missingPassphrase`.
    public static func pem(
        certificateFile: URL,
        keyFile: URL,
        passphrase: String? = nil
    ) throws(TLSConfigurationError) -> ClientIdentity {
        try pem(
            certificates: TLSConfigurationError.contents(of: certificateFile),
            key: TLSConfigurationError.contents(of: keyFile),
            passphrase: passphrase
        )
    }

    /// Takes certificate, key and authorities from one PKCS #12 container (RFC 7292), such as a `.p12` or `.pfx` file
    /// has.
    ///
    /// Whether the passphrase is right shows with the first request.
    /// - Parameters:
    ///   - data: The container.
    ///   - passphrase: What it is encrypted with.
    /// - Throws: `malformedKey` if it is no such container.
    public static func pkcs12(_ data: Data, passphrase: String) throws(TLSConfigurationError) -> ClientIdentity {
        var content = DERReader.sequence(ArraySlice(data))
        guard content?.read(DERReader.Tag.integer)?.content.elementsEqual([3]) == true else {
            throw TLSConfigurationError(.malformedKey, "The data are no PKCS #12 container.")
        }
        return ClientIdentity(.pkcs12(Data(data)), passphrase)
    }

    /// Takes certificate, key and authorities from a PKCS #12 file, as ``pkcs12(_:passphrase:)`` does.
    /// - Parameters:
    ///   - file: The file.
    ///   - passphrase: What it is encrypted with.
    /// - Throws: `fileUnreadable`, `malformedKey`.
    public static func pkcs12(file: URL, passphrase: String) throws(TLSConfigurationError) -> ClientIdentity {
        try pkcs12(TLSConfigurationError.contents(of: file), passphrase: passphrase)
    }
}

extension ClientIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What kind of identity it is.
    public var description: String {
        switch form {
        case .pem: "client identity (PEM)"
        case .pkcs12: "client identity (PKCS #12)"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Nothing, as key and passphrase are secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
