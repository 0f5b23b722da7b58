import HTTPSyntax

/// The rules by which a ``SessionManager`` validates the certificates of servers. They are the same as in
/// AFNetworking's `AFSecurityPolicy`.
///
/// A policy applies to every server that the session manager connects to. The transport `.curl` enforces it during the
/// TLS handshake, before any part of a request is sent. Other transports cannot enforce a policy: if it requires more
/// than the system's checks, each request fails before it is sent. `TLSConfiguration` has more options: pins for each
/// host by their hashes, roots, and client certificates.
public struct SecurityPolicy: Sendable, Hashable, Codable {
    /// The part of a server's certificates that is compared with the pinned certificates.
    public enum PinningMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// Nothing is compared.
        case none
        /// The public keys are compared. One certificate in the server's chain must have the key of a pinned
        /// certificate.
        case publicKey
        /// The whole certificates are compared. The server's chain must be valid with the pinned certificates as its
        /// only anchors, so the chain must contain a pinned certificate.
        case certificate
    }

    /// The part of a server's certificates that is compared with the pinned certificates. Default: `none`.
    public let pinningMode: PinningMode

    /// The pinned certificates in DER. A certificate that cannot be read pins nothing. In a pinning mode without pinned
    /// certificates, no server is accepted.
    public var pinnedCertificates: Set<Data>

    /// Whether certificates are accepted that are expired or were not issued by a trusted authority. Default: false.
    ///
    /// If the property is true and no certificate is pinned, an attacker on the network can impersonate the server. So
    /// requests fail in that case, unless ``validatesDomainName`` is false as well.
    public var allowsInvalidCertificates = false

    /// Whether the certificate must be valid for the host's name. Default: true.
    ///
    /// As in AFNetworking, the name is not checked if invalid certificates are allowed and public keys are pinned.
    public var validatesDomainName = true

    /// The policy that requires the system's checks, without pins.
    public static let `default` = SecurityPolicy()

    /// Creates a policy.
    /// - Parameters:
    ///   - pinningMode: The part of a server's certificates that is compared with the pinned certificates. Default:
    ///     `none`.
    ///   - pinnedCertificates: Certificates in DER, such as ``certificates(in:)`` reads. Default: none.
    public init(pinningMode: PinningMode = .none, pinnedCertificates: Set<Data> = []) {
        self.pinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates
    }

    /// Reads the certificates in the files of a folder with the extensions `cer`, `crt`, `der` and `pem`. Subfolders
    /// are ignored.
    /// - Parameter folder: The folder, such as the resources of a bundle.
    /// - Returns: The certificates in DER.
    /// - Throws: ``LarkspurError`` with the code `invalidSecurityPolicy`, if the folder or a file cannot be read, or a
    ///   file contains no certificate.
    public static func certificates(in folder: URL) throws(LarkspurError) -> Set<Data> {
        do {
            var certificates: Set<Data> = []
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where isCertificateFile(name) {
                let file = folder.appendingPathComponent(name)
                certificates.formUnion(try TLSCertificate.certificates(contentsOf: file).map(\.der))
            }
            return certificates
        } catch {
            throw LarkspurError(
                .invalidSecurityPolicy,
                "The certificates in \(folder.path) cannot be read: \(error.localizedDescription)",
                underlyingError: error
            )
        }
    }

    private static func isCertificateFile(_ name: String) -> Bool {
        ["cer", "crt", "der", "pem"].contains((name as NSString).pathExtension.lowercased())
    }

    /// Whether the policy requires only the checks that every transport performs automatically.
    var isSystemsOwn: Bool { pinningMode == .none && !allowsInvalidCertificates && validatesDomainName }

    /// Checks that the requests of a session manager with pins are not sent over plain http.
    /// - Throws: ``LarkspurError`` with the code `invalidSecurityPolicy`, if there are pins and the base URL is missing
    ///   or not https.
    func validate(for baseURL: URL?) throws(LarkspurError) {
        guard pinningMode != .none, baseURL?.scheme?.lowercased() != "https" else { return }
        throw LarkspurError(
            .invalidSecurityPolicy,
            "A security policy with the pinning mode \(pinningMode.rawValue) takes a base URL with the scheme https.",
            failingURL: baseURL
        )
    }
}
