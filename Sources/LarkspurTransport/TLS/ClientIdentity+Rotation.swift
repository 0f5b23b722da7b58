#if canImport(FoundationNetworking)
internal import CLibcurl
internal import Synchronization

/// Identities that change while a program runs, and identities of hosts.
extension ClientIdentity {
    /// Creates an identity from files that other programs replace, such as short-lived certificates.
    ///
    /// The files are read immediately, and again when they have changed. They are looked at before a request is sent
    /// over https, at most once a second. If the new content cannot be used, for example because only one of the files
    /// has been replaced so far, the last content that could be used remains in use. After a change, new requests do
    /// not use connections on which the old certificate was sent; requests in progress are not interrupted.
    ///
    /// The key is compared with the certificate by functions of OpenSSL. If the engine cannot call them, all https
    /// requests of the session fail.
    /// - Parameters:
    ///   - certificateFile: The file with the client's own certificate, followed by the intermediate certificates that
    ///     servers may lack. They are in PEM. A single certificate may be in DER.
    ///   - keyFile: The file with the private key of the first certificate, in PEM. It may be the same file as
    ///     `certificateFile`.
    ///   - passphrase: The passphrase of the encrypted key. Default: nil, for a key that is not encrypted.
    ///   - onRefusal: A closure that gets the reason if changed files cannot be used, and again if the reason changes.
    ///     It is called on the thread of a session, so it must return quickly. Default: nil. Debug builds then write a
    ///     line to standard error.
    /// - Throws: A ``TLSConfigurationError``, as
    ///   ``ClientIdentity/pem(certificateFile:keyFile:passphrase:)`` does, and for pipes and devices, which cannot be
    ///   read again.
    public static func rotating(
        certificateFile: URL,
        keyFile: URL,
        passphrase: String? = nil,
        onRefusal: (@Sendable (TLSConfigurationError) -> Void)? = nil
    ) throws(TLSConfigurationError) -> ClientIdentity {
        try rotating([certificateFile, keyFile], onRefusal) { () throws(TLSConfigurationError) in
            try pem(
                certificates: TLSConfigurationError.regularContents(of: certificateFile),
                key: TLSConfigurationError.regularContents(of: keyFile),
                passphrase: passphrase
            )
        }
    }

    /// Creates an identity from a PKCS #12 file (RFC 7292) that other programs replace. It changes as an identity of
    /// ``rotating(certificateFile:keyFile:passphrase:onRefusal:)`` does.
    /// - Parameters:
    ///   - pkcs12File: The file.
    ///   - passphrase: The passphrase of the file.
    ///   - onRefusal: A closure that gets the reason if the changed file cannot be used, and again if the reason
    ///     changes. It is called on the thread of a session, so it must return quickly. Default: nil. Debug builds then
    ///     write a line to standard error.
    /// - Throws: A ``TLSConfigurationError``, as ``ClientIdentity/pkcs12(file:passphrase:)`` does, and for pipes and
    ///   devices, which cannot be read again.
    public static func rotating(
        pkcs12File: URL,
        passphrase: String,
        onRefusal: (@Sendable (TLSConfigurationError) -> Void)? = nil
    ) throws(TLSConfigurationError) -> ClientIdentity {
        try rotating([pkcs12File], onRefusal) { () throws(TLSConfigurationError) in
            try pkcs12(TLSConfigurationError.regularContents(of: pkcs12File), passphrase: passphrase)
        }
    }

    private static func rotating(
        _ files: [URL],
        _ onRefusal: (@Sendable (TLSConfigurationError) -> Void)?,
        read: @escaping @Sendable () throws(TLSConfigurationError) -> ClientIdentity
    ) throws(TLSConfigurationError) -> ClientIdentity {
        let source = IdentityFiles(files, first: try read(), onRefusal: onRefusal, read: read)
        return ClientIdentity(form: .files(source))
    }

    /// Creates an identity that is chosen for each host, and may change at any time.
    ///
    ///     options.tls.clientIdentity = .byHost { host in host.hasSuffix(".internal") ? current : nil }
    ///
    /// New requests do not use connections on which another certificate was sent.
    /// - Parameter identity: Returns the identity for a host, or nil for none. The host is in ASCII and lower case,
    ///   without port. The closure is called before each request over https, also after a redirect, on the thread of
    ///   the session, so it must return quickly. It may return an identity of
    ///   ``rotating(certificateFile:keyFile:passphrase:onRefusal:)`` that was created before; without OpenSSL, such an
    ///   identity does not change. An identity of this function counts as none.
    public static func byHost(_ identity: @escaping @Sendable (_ host: String) -> ClientIdentity?) -> ClientIdentity {
        ClientIdentity(form: .choice(IdentityChoice(identity)))
    }

    /// Returns the identity for a request to a host, with its content; nil for none.
    func current(for host: String, at now: LoopTime) -> ClientIdentity? {
        switch form {
        case .pem, .pkcs12: return self
        case .files(let files): return files.identity(at: now)
        case .choice(let choice):
            guard let chosen = choice.identity(host) else { return nil }
            if case .choice = chosen.form { return nil }
            return chosen.current(for: host, at: now)
        }
    }

    /// Whether the content of the identity is always the same.
    var isFixed: Bool {
        switch form {
        case .pem, .pkcs12: true
        case .files, .choice: false
        }
    }

    /// Whether the identity comes from files that are looked at again.
    var isFromFiles: Bool { if case .files = form { true } else { false } }

    /// Whether the identity may call a closure of the program.
    var callsClosure: Bool {
        switch form {
        case .pem, .pkcs12: false
        case .files(let files): files.callsClosure
        case .choice: true
        }
    }

    /// Compares the key with the certificate. Returns nil if they belong together.
    var mismatch: TLSConfigurationError? {
        let state =
            switch form {
            case .pem(let certificates, let key):
                certificates.withUnsafeBytes { first in
                    key.withUnsafeBytes { second in
                        guard let start = first.baseAddress, let keyStart = second.baseAddress else {
                            return LIBCURL_IDENTITY_HAS_NO_KEY
                        }
                        return libcurl_identity_check_pem(start, first.count, keyStart, second.count, passphrase)
                    }
                }
            case .pkcs12(let container):
                container.withUnsafeBytes { bytes in
                    guard let start = bytes.baseAddress else { return LIBCURL_IDENTITY_HAS_NO_KEY }
                    return libcurl_identity_check_pkcs12(start, bytes.count, passphrase)
                }
            case .files, .choice: LIBCURL_IDENTITY_UNKNOWN
            }
        return switch state {
        case LIBCURL_IDENTITY_MATCHES: nil
        case LIBCURL_IDENTITY_DIFFERS:
            TLSConfigurationError(.mismatchedKey, "The private key does not belong to the certificate.")
        case LIBCURL_IDENTITY_HAS_NO_CERTIFICATE:
            TLSConfigurationError(
                .malformedCertificate,
                "OpenSSL cannot read the certificate, or the passphrase is wrong."
            )
        case LIBCURL_IDENTITY_HAS_NO_KEY:
            TLSConfigurationError(.malformedKey, "OpenSSL cannot read the private key, or the passphrase is wrong.")
        default:
            TLSConfigurationError(.malformedKey, "The key cannot be compared with the certificate without OpenSSL.")
        }
    }
}

/// A client identity in files, with the last content that can be used.
final class IdentityFiles: Sendable {
    private struct State {
        var watch: WatchedFiles
        var identity: ClientIdentity
        /// The last content of the files, whether it can be used or not.
        var content: ClientIdentity?
        /// The reason why the last content cannot be used; nil if it can.
        var refusal: TLSConfigurationError?
    }

    private let read: @Sendable () throws(TLSConfigurationError) -> ClientIdentity
    private let onRefusal: (@Sendable (TLSConfigurationError) -> Void)?
    /// Several sessions may use the identity.
    private let state: Mutex<State>

    /// - Parameters:
    ///   - first: The first content of the files. It is used until other content can be used, even if its key does not
    ///     belong to its certificate.
    ///   - read: Reads the files.
    init(
        _ files: [URL],
        first: ClientIdentity,
        onRefusal: (@Sendable (TLSConfigurationError) -> Void)?,
        read: @escaping @Sendable () throws(TLSConfigurationError) -> ClientIdentity
    ) {
        self.read = read
        self.onRefusal = onRefusal
        state = Mutex(State(watch: WatchedFiles(files), identity: first))
    }

    var callsClosure: Bool { onRefusal != nil }

    /// Returns the identity. If the files have changed, reads them first.
    func identity(at now: LoopTime) -> ClientIdentity {
        let (identity, refusal) = state.withLock { state in
            guard state.watch.haveChanged(at: now) else { return (state.identity, nil as TLSConfigurationError?) }
            let last = state.refusal
            state.refusal = update(&state)
            return (state.identity, state.refusal == last ? nil : state.refusal)
        }
        if let refusal { report(refusal) }
        return identity
    }

    /// Reads the files. Returns the reason if the content cannot be used.
    private func update(_ state: inout State) -> TLSConfigurationError? {
        let content: ClientIdentity
        do throws(TLSConfigurationError) {
            content = try read()
        } catch {
            state.content = nil
            // The files may become readable without a change.
            if error.reason == .fileUnreadable { state.watch.forget() }
            return error
        }
        guard content != state.content else { return state.refusal }
        state.content = content
        if let mismatch = content.mismatch { return mismatch }
        state.identity = content
        return nil
    }

    private func report(_ refusal: TLSConfigurationError) {
        if let onRefusal { return onRefusal(refusal) }
        #if DEBUG
        let line =
            "Larkspur: The changed client certificate is not used, and the last one remains. \(refusal.message)\n"
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
        #endif
    }
}

extension IdentityFiles: Hashable {
    static func == (left: IdentityFiles, right: IdentityFiles) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The closure that chooses the client identity for a host.
final class IdentityChoice: Sendable, Hashable {
    let identity: @Sendable (_ host: String) -> ClientIdentity?

    init(_ identity: @escaping @Sendable (_ host: String) -> ClientIdentity?) { self.identity = identity }

    static func == (left: IdentityChoice, right: IdentityChoice) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
#endif
