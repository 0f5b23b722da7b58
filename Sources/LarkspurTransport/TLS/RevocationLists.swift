#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

/// The revocation lists of certificate authorities (RFC 5280, section 5), in files.
///
///     options.tls.revocationLists = RevocationLists(files: [URL(filePath: "/etc/ssl/crl.pem")])
///
/// The files are read on the thread of the session: before its first request over https, and again when they have
/// changed. They are looked at before a request is sent over https, at most once a second. After a change, new requests
/// use neither connections nor TLS sessions whose certificates were checked with the old lists; requests in progress
/// are not interrupted. Replace a file by renaming a new one. If a file cannot be read or has no list, requests over
/// https fail with ``TLSFailure/Reason/revocationListUnusable`` until it is readable again. The same applies to files
/// of more than 256 MiB, and to lists with only the changes of another list (delta CRL). Lists that an issuer has
/// divided by reasons, or that another authority signs (indirect CRL), are not used.
public struct RevocationLists: Sendable, Hashable {
    /// The certificates that are looked up.
    public enum Scope: Sendable, Hashable {
        /// The server's own certificate. A list of its issuer is needed, unless the certificate itself is trusted.
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
    /// The date from which on the list has expired; nil if it has none.
    let expirationDate: Date?

    /// Reads the lists of a file. Their entries and signatures are not read.
    /// - Parameter data: One list in DER, or any number in PEM. Other PEM blocks are skipped.
    static func lists(in data: Data, path: String) throws(RevocationDefect) -> [RevocationList] {
        if data.first == DERReader.Tag.sequence { return [try RevocationList(data, path: path)] }
        var lists: [RevocationList] = []
        for block in PEMBlock.blocks(of: data) where block.label == "X509 CRL" {
            guard let content = block.content else { throw .malformed(path) }
            lists.append(try RevocationList(content, path: path))
        }
        guard !lists.isEmpty else { throw .missing(path) }
        return lists
    }

    /// Reads the fields before and after the entries (RFC 5280, section 5.1.2).
    private init(_ der: Data, path: String) throws(RevocationDefect) {
        guard var list = DERReader.sequence(ArraySlice(der)), let body = list.read(DERReader.Tag.sequence) else {
            throw .malformed(path)
        }
        var fields = DERReader(body.content)
        _ = fields.read(DERReader.Tag.integer)
        // The algorithm, the issuer, and the date of the list.
        guard fields.read(DERReader.Tag.sequence) != nil, fields.read(DERReader.Tag.sequence) != nil,
            fields.read()?.date != nil
        else { throw .malformed(path) }
        let hasNextDate = fields.nextTag == DERReader.Tag.utcTime || fields.nextTag == DERReader.Tag.generalizedTime
        let nextDate = hasNextDate ? fields.read()?.date : nil
        // The entries.
        _ = fields.read(DERReader.Tag.sequence)
        let extensions = fields.read(Self.extensions).flatMap { DERReader.sequence($0.content) }
        guard fields.isAtEnd, (nextDate != nil) == hasNextDate else { throw .malformed(path) }
        // OpenSSL before 3.0.20 would use it as if it were a complete list.
        if var extensions, Self.areOfDelta(&extensions) { throw .delta(path) }
        self.path = path
        self.der = der
        expirationDate = nextDate
    }

    private static let extensions: UInt8 = 0xA0
    /// The object identifier 2.5.29.27.
    private static let deltaIndicator: [UInt8] = [0x55, 0x1D, 0x1B]

    private static func areOfDelta(_ extensions: inout DERReader) -> Bool {
        while let item = extensions.read(DERReader.Tag.sequence) {
            var parts = DERReader(item.content)
            let identifier = parts.read(DERReader.Tag.objectIdentifier)
            if identifier?.content.elementsEqual(deltaIndicator) == true { return true }
        }
        return false
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

    static func delta(_ path: String) -> Self {
        Self(sentence: "The revocation list \(path) has only the changes of another list (delta CRL).")
    }

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
        do throws(RegularFile.Failure) {
            return try RegularFile.contents(of: path)
        } catch {
            throw .unreadable(path, error.reason)
        }
    }
}
#endif
