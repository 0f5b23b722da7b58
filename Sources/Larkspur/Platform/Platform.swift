/// The functions that differ between Linux and Apple platforms.
enum Platform {
    /// Returns the default queue of handlers: on Apple platforms the main queue, which an app runs; elsewhere a private
    /// serial queue, because most programs there do not run the main queue.
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

    /// The preferred languages of the user as language tags, in order of preference; empty if they are not known.
    ///
    /// Foundation on Linux always returns `en-001`, without regard to the environment.
    static var preferredLanguages: [String] {
        #if canImport(Darwin)
        Locale.preferredLanguages
        #else
        LocaleName.ofMessages(in: ProcessInfo.processInfo.environment)?.languageTag.map { [$0] } ?? []
        #endif
    }

    /// Creates a session of Foundation, with a configuration that this function may change.
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

    /// Prepares a session of Foundation's own class that a factory of the caller created.
    static func prepare(_ session: URLSession) {
        #if canImport(FoundationNetworking)
        if type(of: session) == URLSession.self { FoundationTransportAdapter.prepare(session.configuration) }
        #endif
    }

    /// Returns the adapter of a session, depending on its class: `URLSession` itself or a subclass of it.
    static func adapter(for session: URLSession) -> any TransportAdapter {
        #if canImport(FoundationNetworking)
        type(of: session) == URLSession.self ? FoundationTransportAdapter() : StandardTransportAdapter()
        #else
        StandardTransportAdapter()
        #endif
    }

    /// Gives a downloaded file that only its owner may read the permissions of any new file.
    static func makeOrdinary(_ file: URL) {
        #if canImport(FoundationNetworking)
        NewFilePermissions.replacePrivateOnes(ofFileAt: file)
        #endif
    }
}
