#if canImport(FoundationNetworking)
/// The place where libcurl finds the certificate authorities of the system.
///
/// A libcurl that was built for another distribution, as one that comes with a program, names a file that this system
/// does not have. Then every secure request would fail.
enum SystemRoots: Equatable {
    case asConfigured
    /// The file, without the folder: with both, libcurl reads them anew for every connection, with the file alone it
    /// keeps them.
    case fileAlone
    /// The file of this system.
    case other(String)

    /// The files in which distributions keep them, in the order in which Go's standard library looks for them
    /// (`crypto/x509`, `root_linux.go`).
    static let files = [
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem",
        "/etc/pki/tls/cacert.pem",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// - Parameters:
    ///   - file: What libcurl was built with; nil where it does not say, as before 7.84.
    ///   - folder: The same of a folder of certificates.
    ///   - isReadable: Whether a path leads to something that can be read.
    init(
        file: String?,
        folder: String?,
        isReadable: (String) -> Bool = { access($0, R_OK) == 0 }
    ) {
        guard let file, !file.isEmpty else {
            self = .asConfigured
            return
        }
        if isReadable(file) {
            self = .fileAlone
        } else if let folder, !folder.isEmpty, isReadable(folder) {
            self = .asConfigured
        } else {
            self = Self.files.first(where: isReadable).map(SystemRoots.other) ?? .asConfigured
        }
    }
}
#endif
