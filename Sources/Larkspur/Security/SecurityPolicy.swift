/// By what a ``SessionManager`` judges the certificates of servers: AFNetworking's `AFSecurityPolicy`, with its rules.
///
/// A policy holds for every server that the session manager speaks with. It is enforced within the TLS handshake,
/// before anything of a request is sent, by the transport `.curl`; on any other transport each request of a session
/// manager with a policy that asks for more than the system's own checks fails before it is sent. `TLSConfiguration`
/// can do more: pins for each host by their hashes, roots, client certificates.
public struct SecurityPolicy: Sendable, Hashable, Codable {
    /// What is compared with the pinned certificates.
    public enum PinningMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// Nothing.
        case none
        /// The public keys: one in the server's chain has to be that of a pinned certificate.
        case publicKey
        /// The whole certificates: the server's chain has to be valid with the pinned ones as its only anchors, and so
        /// to contain one of them.
        case certificate
    }

    /// What is compared with the pinned certificates. Default: `none`.
    public let pinningMode: PinningMode

    /// The pinned certificates in DER. One that cannot be read pins nothing; in a pinning mode without any, no server
    /// is accepted.
    public var pinnedCertificates: Set<Data>

    /// Whether certificates are accepted that are expired, or that nobody trusted has issued. Default: false.
    ///
    /// Without pinned certificates anybody on the way can then pose as the server. That is refused, unless the domain
    /// name is not validated either.
    public var allowInvalidCertificates = false

    /// Whether the certificate has to be made out to the host. Default: true.
    ///
    /// As with AFNetworking, the name does not count if invalid certificates are allowed and public keys are pinned.
    public var validatesDomainName = true

    /// What the system trusts, and no pins.
    public static let `default` = SecurityPolicy()

    /// Makes a policy.
    /// - Parameters:
    ///   - pinningMode: What is compared with the pinned certificates. Default: `none`.
    ///   - pinnedCertificates: Certificates in DER, such as ``certificates(in:)`` reads. Default: none.
    public init(pinningMode: PinningMode = .none, pinnedCertificates: Set<Data> = []) {
        self.pinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates
    }

    /// Reads the certificates of a folder: those of its files `.cer`, `.crt`, `.der` and `.pem`, not of folders in it.
    /// - Parameter folder: The folder, such as the resources of a bundle.
    /// - Returns: The certificates in DER.
    /// - Throws: ``LarkspurError`` with the code `invalidSecurityPolicy`, if the folder or a file cannot be read, or a
    ///   file holds no certificate.
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

    /// Whether it asks for nothing but what every transport does by itself.
    var isSystemsOwn: Bool { pinningMode == .none && !allowInvalidCertificates && validatesDomainName }

    /// Checks that pins are not given to a session manager whose requests would go over plain http.
    /// - Throws: `invalidSecurityPolicy`.
    func validate(for baseURL: URL?) throws(LarkspurError) {
        guard pinningMode != .none, baseURL?.scheme?.lowercased() != "https" else { return }
        throw LarkspurError(
            .invalidSecurityPolicy,
            "A security policy with the pinning mode \(pinningMode.rawValue) takes a base URL with the scheme https.",
            failingURL: baseURL
        )
    }
}
