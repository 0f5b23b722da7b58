#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

/// The revocation lists of certificate authorities (RFC 5280, section 5), in files.
///
///     options.tls.revocationLists = RevocationLists(files: [URL(filePath: "/etc/ssl/crl.pem")])
///
/// The files are read on the thread of the session: before its first request over https, and again when they have
/// changed. They are looked at before a request is sent over https, at most once a second. After a change, new requests
/// use neither connections nor TLS sessions whose certificates were checked with the old lists; requests in progress are
/// not interrupted. Replace a file by renaming a new one. If a file cannot be read or has no list, requests over https
/// fail with ``TLSFailure/Reason/revocationListUnusable`` until it is readable again.
public struct RevocationLists: Sendable, Hashable {
    /// The certificates that are looked up.
    public enum Scope: Sendable, Hashable {
        /// The server's own certificate. A list of its issuer is needed.
        case leaf
        /// All certificates of the chain, except the trusted certificate at its end. Lists of all their issuers are
        /// needed.
        case chain
    }

    /// The files. Each has one list in DER, or any number in PEM (`X509 CRL`).
    public var files: [URL]
    /// The certificates that are looked up. Default: ``Scope/chain``.
    public var scope: Scope

    /// Creates the lists. The files are not read yet.
    /// - Parameters:
    ///   - files: The files. Each has one list in DER, or any number in PEM (`X509 CRL`).
    ///   - scope: The certificates that are looked up. Default: ``Scope/chain``. If a certificate is revoked, or if
    ///     there is no valid list of its issuer, the server is refused.
    public init(files: [URL], scope: Scope = .chain) {
        self.files = files
        self.scope = scope
    }
}

/// A revocation list in DER, with the path of its file.
struct RevocationList: Equatable {
    let path: String
    let der: Data

    /// Reads the lists of a file. They are not parsed.
    /// - Parameter data: One list in DER, or any number in PEM. Other PEM blocks are skipped.
    static func lists(in data: Data, path: String) throws(RevocationDefect) -> [RevocationList] {
        if data.first == DERReader.Tag.sequence {
            guard DERReader.sequence(ArraySlice(data)) != nil else { throw .malformed(path) }
            return [RevocationList(path: path, der: data)]
        }
        var lists: [RevocationList] = []
        for block in PEMBlock.blocks(of: data) where block.label == "X509 CRL" {
            guard let content = block.content, DERReader.sequence(ArraySlice(content)) != nil else {
                throw .malformed(path)
            }
            lists.append(RevocationList(path: path, der: content))
        }
        guard !lists.isEmpty else { throw .missing(path) }
        return lists
    }
}

/// The reason why revocation lists cannot be used.
struct RevocationDefect: Error, Equatable {
    /// The reason in one sentence, with the path of the file.
    let sentence: String

    static func unreadable(_ path: String, _ reason: String) -> Self {
        Self(sentence: "The revocation list \(path) cannot be read: \(reason).")
    }

    static func malformed(_ path: String) -> Self { Self(sentence: "The revocation list \(path) is damaged.") }

    static func missing(_ path: String) -> Self {
        Self(sentence: "The file \(path) has no revocation list, neither in PEM nor in DER.")
    }
}

/// The revocation lists of a check, which are read again when their files change. It is used only on the loop's thread.
struct RevocationFiles {
    enum Reading {
        case unchanged
        /// The files have other lists, or could not be read before.
        case changed([RevocationList])
    }

    /// The largest file that is read, in bytes.
    static let sizeLimit = 1 << 28

    private var watch: WatchedFiles
    private var lists: [RevocationList]?
    private var defect: RevocationDefect?

    init(_ files: [URL]) { watch = WatchedFiles(files) }

    /// Reads the files if they have changed.
    /// - Throws: The reason if they cannot be used, until they have changed.
    mutating func read(at now: LoopTime) throws(RevocationDefect) -> Reading {
        guard watch.haveChanged(at: now) else {
            if let defect { throw defect }
            return .unchanged
        }
        do throws(RevocationDefect) {
            var found: [RevocationList] = []
            for path in watch.paths { found += try RevocationList.lists(in: Self.contents(of: path), path: path) }
            let isNew = found != lists || defect != nil
            (lists, defect) = (found, nil)
            return isNew ? .changed(found) : .unchanged
        } catch {
            refuse(error)
            throw error
        }
    }

    /// Records that the lists that were read last cannot be used.
    mutating func refuse(_ defect: RevocationDefect) {
        self.defect = defect
        lists = nil
        // A file may become readable without a change.
        watch.forget()
    }

    private static func contents(of path: String) throws(RevocationDefect) -> Data {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .unreadable(path, String(cString: strerror(errno))) }
        // Reading from a pipe could block the thread of the session.
        guard status.st_mode & S_IFMT == S_IFREG else { throw .unreadable(path, "it is not a regular file") }
        guard status.st_size <= sizeLimit else { throw .unreadable(path, "it is larger than 256 MiB") }
        guard access(path, R_OK) == 0 else { throw .unreadable(path, String(cString: strerror(errno))) }
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            throw .unreadable(path, "reading it has failed")
        }
        return data
    }
}
#endif
