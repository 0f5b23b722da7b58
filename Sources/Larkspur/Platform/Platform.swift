/// What differs between Linux and Apple platforms and is no type of its own.
enum Platform {
    /// The queue of handlers unless the caller gives another: the main queue on Apple platforms, where an app drains
    /// it; a private serial queue elsewhere, as most programs never do.
    static func makeCompletionQueue() -> DispatchQueue {
        #if canImport(Darwin)
        .main
        #else
        DispatchQueue(label: "larkspur.completion")
        #endif
    }

    /// Whether the program is built for debugging.
    static var isDebugBuild: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }

    /// The languages that the user prefers, as language tags, the preferred one first; empty where that is not known.
    ///
    /// Foundation's answer on Linux is `en-001`, whatever the environment says.
    static var preferredLanguages: [String] {
        #if canImport(Darwin)
        Locale.preferredLanguages
        #else
        LocaleName.ofMessages(in: ProcessInfo.processInfo.environment)?.languageTag.map { [$0] } ?? []
        #endif
    }

    /// Makes a session of Foundation's own, with a configuration that is ours to change.
    static func makeFoundationSession(
        _ configuration: URLSessionConfiguration,
        _ delegate: any URLSessionDelegate,
        _ queue: OperationQueue
    ) -> URLSession {
        #if canImport(FoundationNetworking)
        FoundationTransportAdapter.prepare(configuration)
        #endif
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    /// Prepares a session that a factory of the caller's made of Foundation's own class.
    static func prepare(_ session: URLSession) {
        #if canImport(FoundationNetworking)
        if type(of: session) == URLSession.self { FoundationTransportAdapter.prepare(session.configuration) }
        #endif
    }

    /// The adapter of a session that `URLSession` itself made, or a subclass of it.
    static func adapter(for session: URLSession) -> any TransportAdapter {
        #if canImport(FoundationNetworking)
        type(of: session) == URLSession.self ? FoundationTransportAdapter() : StandardTransportAdapter()
        #else
        StandardTransportAdapter()
        #endif
    }

    /// Gives a downloaded file, if only its owner may read it, the permissions of any new file.
    static func makeOrdinary(_ file: URL) {
        #if canImport(FoundationNetworking)
        NewFilePermissions.replacePrivateOnes(ofFileAt: file)
        #endif
    }
}
