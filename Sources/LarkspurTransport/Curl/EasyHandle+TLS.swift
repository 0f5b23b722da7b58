#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

/// The options of a session's TLS configuration.
extension EasyHandle {
    /// The TLS settings with which the handle was configured.
    struct Security {
        /// The number of the settings.
        var number = 0
        /// The check of servers that libcurl cannot make; nil if it is not needed.
        var check: ServerCheck?
        /// The log of the secrets of connections; nil if there is none.
        var keyLog: TLSKeyLog?
        /// Whether the names of servers' certificates are verified.
        var verifiesName = true
        /// The client's certificate and key that were last set; nil if there are none.
        var identity = Boxed<ClientIdentity>()
    }

    /// Sets the options that are the same for all requests. Returns false if libcurl refuses an option. In this case,
    /// the handle must not be used.
    func configure(_ tls: TLSSettings, trust: ServerTrust?) -> Bool {
        security.keyLog = tls.keyLog
        security.verifiesName = !tls.configuration.dangerouslySkipsHostNameVerification
        let isVersionSet = takes(CURLOPT_SSLVERSION, tls.configuration.versions)
        // If libcurl does not have this option, it does not support https proxies.
        set(CURLOPT_PROXY_SSLVERSION, tls.configuration.versions)
        if case .trust = tls.method {
            guard let trust else { return false }
            security.check = ServerCheck(trust)
        }
        guard entersHandshakes() || (security.check == nil && security.keyLog == nil) else { return false }
        // Every libcurl with TLS has the option for the version. Without TLS, libcurl cannot use https, so no
        // protection is needed.
        guard tls.isCustom else { return true }
        guard isVersionSet, tls.defect == nil else { return isVersionSet }
        if tls.configuration.dangerouslySkipsHostNameVerification, !takes(CURLOPT_SSL_VERIFYHOST, 0) { return false }
        if let identity = tls.configuration.clientIdentity, identity.isFixed, !takes(identity) { return false }
        switch tls.method {
        case .trust:
            guard case .only(let roots) = tls.configuration.trustedRoots else { return true }
            guard Libcurl.replacesMissingRoots else { return takesOnly([]) }
            // The engine itself checks the roots. libcurl also receives them, so that it does not read any other roots.
            // If there are no roots, libcurl has to read other roots to begin a handshake.
            return roots.isEmpty || takesOnly(roots)
        case .options(let options):
            if !options.verifiesPeer, !takes(CURLOPT_SSL_VERIFYPEER, 0) { return false }
            guard let roots = options.roots else { return true }
            return takesOnly(roots)
        }
    }

    /// Sets the options for one host. Returns false if libcurl refuses them.
    /// - Parameters:
    ///   - tls: The settings of the connection.
    ///   - host: The host in its canonical form.
    ///   - isSecure: Whether the request is sent over TLS to the host, which may request a client certificate.
    ///   - generation: The number of the revocation lists. Default: nil, for none.
    func configure(_ tls: TLSSettings, host: String, isSecure: Bool, revocation generation: UInt32? = nil) -> Bool {
        if let generation, generation != security.check?.generation, !separates(tls, generation) { return false }
        if let check = security.check, check.trust.hasEvaluator,
            !tls.configuration.dangerouslySkipsHostNameVerification,
            !takes(CURLOPT_SSL_VERIFYHOST, check.checksName ? 0 : 2)
        {
            return false
        }
        if isSecure, let identity = tls.configuration.clientIdentity, !identity.isFixed,
            !takes(identity.current(for: host, at: .now))
        {
            return false
        }
        guard case .options(let options) = tls.method, !options.pins.isEmpty else { return true }
        let requirements = tls.requirements(for: host)
        guard let first = requirements.first else {
            return libcurl_easy_setopt_string(raw, CURLOPT_PINNEDPUBLICKEY, nil) == CURLE_OK
        }
        let keys = requirements.dropFirst().reduce(first) { $0.intersection($1) }
        // libcurl treats an empty list as if there were no list. So if there are no keys, the list gets a hash that no
        // key has.
        let pins = keys.isEmpty ? [Data(count: 32).base64EncodedString()] : keys.map(\.base64)
        let list = pins.map { "sha256//" + $0 }.joined(separator: ";")
        return libcurl_easy_setopt_string(raw, CURLOPT_PINNEDPUBLICKEY, list) == CURLE_OK
    }

    /// Replaces the client's certificate and key. libcurl uses connections and TLS sessions only for transfers with the
    /// same bytes in `CURLOPT_SSLCERT_BLOB`, so a new certificate gets new connections.
    /// - Parameter next: An identity with its content; nil for none.
    private func takes(_ next: ClientIdentity?) -> Bool {
        guard next != security.identity.wrappedValue else { return true }
        security.identity.wrappedValue = nil
        let isTaken: Bool
        switch next?.form {
        case .pem(let certificates, let key)?:
            isTaken = takes(type: "PEM", certificates, key: key)
        case .pkcs12(let container)?:
            isTaken = takes(type: "P12", container, key: nil)
        case nil, .files?, .choice?:
            isTaken = takes(type: "PEM", nil, key: nil)
        }
        // Without a passphrase, OpenSSL would read one from the terminal.
        guard isTaken, libcurl_easy_setopt_string(raw, CURLOPT_KEYPASSWD, next?.passphrase) == CURLE_OK else {
            // The handle may have a part of each identity, and is not used for another request.
            reuse.lacksOptions = true
            return false
        }
        security.identity.wrappedValue = next
        return true
    }

    private func takes(type: String, _ certificates: Data?, key: Data?) -> Bool {
        libcurl_easy_setopt_string(raw, CURLOPT_SSLCERTTYPE, type) == CURLE_OK
            && takes(CURLOPT_SSLCERT_BLOB, certificates) && takes(CURLOPT_SSLKEY_BLOB, key)
    }

    /// Separates the connections and TLS sessions whose certificates were checked with the current revocation lists
    /// from earlier ones. Returns false if libcurl refuses an option.
    ///
    /// libcurl uses connections and TLS sessions only for transfers with the same roots. So for each generation of the
    /// lists, the same roots have another notation.
    private func separates(_ tls: TLSSettings, _ generation: UInt32) -> Bool {
        security.check?.generation = nil
        let isSeparate: Bool
        switch tls.configuration.trustedRoots {
        case .only(let roots): isSeparate = takesOnly(roots, comment: "Revocation lists \(generation)\n")
        case .system, .systemAnd:
            let (option, path) = systemRoots
            let notation = SystemRoots.notation(of: path, number: generation)
            isSeparate = libcurl_easy_setopt_string(raw, option, notation) == CURLE_OK
            // If libcurl does not have this option, it does not support https proxies.
            set(option == CURLOPT_CAINFO ? CURLOPT_PROXY_CAINFO : CURLOPT_PROXY_CAPATH, notation)
        }
        // The handle may have a part of the options, and is not used for another request.
        if isSeparate { security.check?.generation = generation } else { reuse.lacksOptions = true }
        return isSeparate
    }

    /// The option for the system's roots, and the path of their file or folder.
    private var systemRoots: (option: Int32, path: String) {
        let (file, folder) = (Libcurl.authoritiesFile, Libcurl.authoritiesFolder)
        // If there are no roots, libcurl finds no certificate in a folder that is none.
        guard let path = SystemRoots.path(file: file, folder: folder) else { return (CURLOPT_CAPATH, "/dev/null") }
        let isFolder = SystemRoots(file: file, folder: folder) == .asConfigured && path == folder
        return (isFolder ? CURLOPT_CAPATH : CURLOPT_CAINFO, path)
    }

    /// Makes libcurl use these roots in place of the system's roots, which must not be trusted.
    /// - Parameter comment: A line of text behind the roots. Default: none.
    private func takesOnly(_ roots: [TLSCertificate], comment: String = "") -> Bool {
        // No certificates are found at an empty path. For libcurl, this is not an error if it has other roots.
        let none = Libcurl.replacesMissingRoots ? "" : nil
        // If libcurl does not have these options, it does not support https proxies.
        set(CURLOPT_PROXY_CAINFO, none)
        set(CURLOPT_PROXY_CAPATH, none)
        guard libcurl_easy_setopt_string(raw, CURLOPT_CAINFO, none) == CURLE_OK,
            libcurl_easy_setopt_string(raw, CURLOPT_CAPATH, none) == CURLE_OK
        else { return false }
        guard !roots.isEmpty else { return true }
        let bundle = Data((roots.map(\.pem).joined() + comment).utf8)
        // If libcurl refuses this option, it does not trust any https proxy.
        _ = takes(CURLOPT_PROXY_CAINFO_BLOB, bundle)
        return takes(CURLOPT_CAINFO_BLOB, bundle)
    }

    private func takes(_ option: Int32, _ value: Int) -> Bool {
        libcurl_easy_setopt_long(raw, option, value) == CURLE_OK
    }

    /// - Parameter value: The bytes; nil to remove those of an earlier transfer.
    private func takes(_ option: Int32, _ value: Data?) -> Bool {
        guard let value else { return libcurl_easy_setopt_pointer(raw, option, nil) == CURLE_OK }
        return value.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return libcurl_easy_setopt_blob(raw, option, start, bytes.count) == CURLE_OK
        }
    }

    /// If it is needed, sets ``prepareContext`` as libcurl's callback. Returns false if libcurl refuses the callback.
    private func entersHandshakes() -> Bool {
        guard security.check != nil || support.closeWatch != nil || security.keyLog != nil else { return true }
        let context = Unmanaged.passUnretained(self).toOpaque()
        return libcurl_easy_setopt_tls_callback(raw, CURLOPT_SSL_CTX_FUNCTION, Self.prepareContext) == CURLE_OK
            && libcurl_easy_setopt_pointer(raw, CURLOPT_SSL_CTX_DATA, context) == CURLE_OK
    }

    /// The callback that prepares the TLS context of a new connection, to the server or to a proxy.
    private static let prepareContext: libcurl_tls_callback = { _, tlsContext, context in
        guard let tlsContext, let context else { return CURLE_SSL_CONNECT_ERROR }
        let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
        guard handle.security.check?.attach(to: tlsContext, verifiesName: handle.security.verifiesName) != false,
            handle.support.closeWatch?.attach(to: tlsContext) != false,
            handle.security.keyLog?.attach(to: tlsContext) != false
        else { return CURLE_SSL_CONNECT_ERROR }
        return CURLE_OK
    }
}

extension TLSConfiguration {
    /// The versions in libcurl's notation.
    fileprivate var versions: Int {
        minimumVersion.number | (maximumVersion?.number ?? 0) << 16
    }
}

extension TLSVersion {
    fileprivate var number: Int {
        switch kind {
        case .tls12: Int(CURL_SSLVERSION_TLSv1_2)
        case .tls13: Int(CURL_SSLVERSION_TLSv1_3)
        }
    }
}

/// The watch for TLS's close_notify. If a connection is closed without a close_notify, its content may be truncated.
/// libcurl before 8.14 does not report whether a close_notify has arrived.
///
/// The object belongs to the loop's thread, and exists longer than all connections.
final class TLSCloseWatch {
    private let raw: OpaquePointer

    /// Creates a watch. Returns nil if OpenSSL cannot be used.
    init?() {
        guard let raw = libcurl_tls_watch_new() else { return nil }
        self.raw = raw
    }

    deinit { libcurl_tls_watch_free(raw) }

    /// Watches the connections of a TLS context. Returns false if memory has run out.
    func attach(to tlsContext: UnsafeMutableRawPointer) -> Bool { libcurl_tls_watch_attach(raw, tlsContext) }

    /// Begins to watch the connection of a transfer. Returns the name of the watch. Returns nil if OpenSSL does not
    /// provide the TLS of the connection.
    func begin(_ handle: EasyHandle) -> UInt? {
        let name = libcurl_tls_watch_begin(raw, handle.raw)
        return name == 0 ? nil : name
    }

    /// Ends the watch. Returns true if a close_notify has arrived.
    func end(_ name: UInt) -> Bool { libcurl_tls_watch_end(raw, name) }
}
#endif
