#if canImport(FoundationNetworking)
import HTTPSyntax

/// A certificate with its private key, for servers that request a client certificate.
///
/// The certificate is sent to every server of the session that requests one, including the target of a redirect, unless
/// ``byHost(_:)`` or ``EngineOptions/hostTLS`` choose it by the host. The private key never leaves the process.
/// Descriptions contain no secret.
public struct ClientIdentity: Sendable, Hashable {
    enum Form: Hashable {
        case pem(certificates: Data, key: Data)
        case pkcs12(Data)
        case files(IdentityFiles)
        case choice(IdentityChoice)
    }

    let form: Form
    let passphrase: String

    init(form: Form, passphrase: String? = nil) {
        self.form = form
        self.passphrase = passphrase ?? ""
    }

    /// Creates an identity from a certificate and its key.
    ///
    /// A wrong passphrase, or a key that does not belong to the certificate, is not detected here. The first request
    /// then fails with ``TLSFailure/Reason/clientIdentityUnusable``.
    /// - Parameters:
    ///   - certificates: The client's own certificate, followed by the intermediate certificates that servers may lack.
    ///     They are in PEM. A single certificate may be in DER.
    ///   - key: The private key of the first certificate, in PEM.
    ///   - passphrase: The passphrase of the encrypted key. Default: nil, for a key that is not encrypted.
    /// - Throws: A ``TLSConfigurationError``. Its reason is `malformedCertificate` if `certificates` contains no valid
    ///   certificate, `malformedKey` if `key` contains no private key, and `missingPassphrase` if the key is encrypted
    ///   and there is no passphrase.
    public static func pem(
        certificates: Data,
        key: Data,
        passphrase: String? = nil
    ) throws(TLSConfigurationError) -> ClientIdentity {
        let chain = try TLSCertificate.certificates(in: certificates).map(\.pem).joined()
        let blocks = PEMBlock.blocks(of: key).filter { $0.label.ends(with: "PRIVATE KEY") }
        guard let block = blocks.first else {
            throw TLSConfigurationError(.malformedKey, "The data hold no private key in PEM.")
        }
        // In the old format of encrypted keys, the block has a line that is not base64: "Proc-Type: 4,ENCRYPTED".
        let isEncrypted = block.label == "ENCRYPTED PRIVATE KEY" || block.content == nil
        if isEncrypted, passphrase == nil {
            throw TLSConfigurationError(.missingPassphrase, "The private key is encrypted, and there is no passphrase.")
        }
        return ClientIdentity(form: .pem(certificates: Data(chain.utf8), key: Data(key)), passphrase: passphrase)
    }

    /// Creates an identity from files with a certificate and its key.
    ///
    /// A wrong passphrase, or a key that does not belong to the certificate, is not detected here. The first request
    /// then fails with ``TLSFailure/Reason/clientIdentityUnusable``. The files are read immediately.
    /// - Parameters:
    ///   - certificateFile: The file with the client's own certificate, followed by the intermediate certificates that
    ///     servers may lack. They are in PEM. A single certificate may be in DER.
    ///   - keyFile: The file with the private key of the first certificate, in PEM. It may be the same file as
    ///     `certificateFile`.
    ///   - passphrase: The passphrase of the encrypted key. Default: nil, for a key that is not encrypted.
    /// - Throws: A ``TLSConfigurationError``. Its reason is `fileUnreadable` if a file cannot be read,
    ///   `malformedCertificate` if there is no valid certificate, `malformedKey` if there is no private key, and
    ///   `missingPassphrase` if the key is encrypted and there is no passphrase.
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

    /// Creates an identity from a PKCS #12 container (RFC 7292) with a certificate, its key and its authorities, such
    /// as the content of a `.p12` or `.pfx` file.
    ///
    /// A wrong passphrase is not detected here. The first request then fails with
    /// ``TLSFailure/Reason/clientIdentityUnusable``.
    /// - Parameters:
    ///   - data: The container.
    ///   - passphrase: The passphrase of the container.
    /// - Throws: A ``TLSConfigurationError`` with the reason `malformedKey` if the data is not such a container.
    public static func pkcs12(_ data: Data, passphrase: String) throws(TLSConfigurationError) -> ClientIdentity {
        var content = DERReader.sequence(ArraySlice(data))
        guard content?.read(DERReader.Tag.integer)?.content.elementsEqual([3]) == true else {
            throw TLSConfigurationError(.malformedKey, "The data are no PKCS #12 container.")
        }
        return ClientIdentity(form: .pkcs12(Data(data)), passphrase: passphrase)
    }

    /// Creates an identity from a PKCS #12 file (RFC 7292) with a certificate, its key and its authorities, such as a
    /// `.p12` or `.pfx` file.
    ///
    /// A wrong passphrase is not detected here. The first request then fails with
    /// ``TLSFailure/Reason/clientIdentityUnusable``. The file is read immediately.
    /// - Parameters:
    ///   - file: The file.
    ///   - passphrase: The passphrase of the file.
    /// - Throws: A ``TLSConfigurationError``. Its reason is `fileUnreadable` if the file cannot be read, and
    ///   `malformedKey` if it is not such a container.
    public static func pkcs12(file: URL, passphrase: String) throws(TLSConfigurationError) -> ClientIdentity {
        try pkcs12(TLSConfigurationError.contents(of: file), passphrase: passphrase)
    }
}

extension ClientIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the identity, without secrets.
    public var description: String {
        switch form {
        case .pem: "client identity (PEM)"
        case .pkcs12: "client identity (PKCS #12)"
        case .files: "client identity (files that are read again)"
        case .choice: "client identity (chosen for each host)"
        }
    }

    /// The kind of the identity, without secrets.
    public var debugDescription: String { description }

    /// A mirror without children, because key and passphrase are secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
