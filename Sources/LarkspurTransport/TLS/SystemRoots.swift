#if canImport(FoundationNetworking)
import HTTPSyntax

/// The location of the system's certificate authorities for libcurl.
///
/// A libcurl that was built for another distribution, for example one that is shipped with a program, may use a path
/// that does not exist on this system. Then every secure request would fail.
enum SystemRoots: Equatable {
    case asConfigured
    /// libcurl's default file, without libcurl's default folder. If libcurl has only a file, it caches the
    /// certificates. If it has a file and a folder, it reads both for every connection.
    case fileAlone
    /// A file of this system, instead of libcurl's default file.
    case other(String)

    /// The files in which distributions store their authorities, in the order of Go's standard library (`crypto/x509`,
    /// `root_linux.go`).
    static let files = [
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem",
        "/etc/pki/tls/cacert.pem",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// Returns the path of the file or folder that libcurl reads; nil if none can be read. If libcurl does not report
    /// its file, the system's file is assumed.
    /// - Parameters:
    ///   - file: The file that libcurl was built with; nil if libcurl does not report it.
    ///   - folder: The folder of certificates that libcurl was built with; nil if libcurl does not report it.
    ///   - isReadable: Returns whether a path leads to a readable file or folder.
    static func path(
        file: String?,
        folder: String?,
        isReadable: (String) -> Bool = { access($0, R_OK) == 0 }
    ) -> String? {
        switch SystemRoots(file: file, folder: folder, isReadable: isReadable) {
        case .fileAlone: file
        case .other(let file): file
        case .asConfigured:
            if let folder, !folder.isEmpty, isReadable(folder) {
                folder
            } else {
                file == nil ? files.first(where: isReadable) : nil
            }
        }
    }

    /// - Parameters:
    ///   - file: The file that libcurl was built with; nil if libcurl does not report it, as before 7.84.
    ///   - folder: The folder of certificates that libcurl was built with; nil if libcurl does not report it.
    ///   - isReadable: Returns whether a path leads to a readable file or folder.
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
