/// The transport that sends requests: the kind of `URLSession` that a ``SessionManager`` wraps.
public struct Transport: Sendable {
    /// A closure that creates a session from a configuration, a delegate, and the queue on which the session calls the
    /// delegate.
    package typealias SessionFactory =
        @Sendable (URLSessionConfiguration, any URLSessionDelegate, OperationQueue) -> URLSession

    /// A closure that creates a session which enforces a security policy. It gets the policy and the arguments of
    /// ``SessionFactory``.
    package typealias SecureSessionFactory =
        @Sendable (SecurityPolicy, URLSessionConfiguration, any URLSessionDelegate, OperationQueue) -> URLSession

    package let makeSession: SessionFactory
    /// The factory of sessions that enforce a security policy; nil for a transport that enforces only the system's own
    /// checks.
    package let makeSecureSession: SecureSessionFactory?
    /// The closure that returns the transport with limits for URLs that the program has not chosen; nil for a transport
    /// that cannot enforce them.
    package var limited: (@Sendable (UntrustedURLLimits) -> Transport)?

    init(makeSession: @escaping SessionFactory, makeSecureSession: SecureSessionFactory? = nil) {
        self.makeSession = makeSession
        self.makeSecureSession = makeSecureSession
    }

    /// The best available transport: `curl` on Linux if libcurl can be used, otherwise `foundation`.
    public static let automatic = Platform.bestTransport

    /// The transport of Foundation's own `URLSession`.
    ///
    /// On Linux this is FoundationNetworking, where some server responses terminate the process or make a request hang;
    /// see its limits in `Docs/Linux.md`.
    public static let foundation = Transport(makeSession: Platform.makeFoundationSession)

    /// Creates a transport from a `URLSession`, or a subclass of it, that the caller creates, such as the stub session
    /// of LarkspurTesting.
    ///
    /// If the session manager has a base URL, the configuration that the closure gets has no additional fields that
    /// carry credentials: the manager adds them to the requests whose origins get them. If the closure uses another
    /// configuration, its session sends the additional fields of that configuration to every origin.
    ///
    /// The transport enforces no ``SecurityPolicy``: if the policy requires more than the system's own checks, every
    /// request fails before it is sent.
    /// - Parameter makeSession: Creates a session, which must get the delegate and the queue. Called when the first
    ///   task is created and again after the session was reset, on the thread that creates the task. No lock is held
    ///   during the call. Threads that create their first tasks at the same time may therefore create a session each;
    ///   one session is used, and the others are invalidated. Requests that the closure itself makes with the session
    ///   manager fail with `transportUnavailable`.
    public static func custom(
        _ makeSession:
            @escaping @Sendable (URLSessionConfiguration, any URLSessionDelegate, OperationQueue) -> URLSession
    ) -> Transport {
        Transport(makeSession: makeSession)
    }

    /// Creates a transport from a `URLSession` of the caller that enforces the session manager's ``SecurityPolicy``. A
    /// stub session, for example, needs no enforcement.
    /// - Parameter makeSession: Creates a session that enforces the policy, and must get the delegate and the queue.
    ///   Called when the first task is created and again after the session was reset, on the thread that creates the
    ///   task. No lock is held during the call. Threads that create their first tasks at the same time may therefore
    ///   create a session each; one session is used, and the others are invalidated. Requests that the closure itself
    ///   makes with the session manager fail with `transportUnavailable`.
    public static func custom(
        enforcingSecurityPolicy makeSession:
            @escaping @Sendable (SecurityPolicy, URLSessionConfiguration, any URLSessionDelegate, OperationQueue) ->
            URLSession
    ) -> Transport {
        Transport(
            makeSession: { configuration, delegate, queue in makeSession(.default, configuration, delegate, queue) },
            makeSecureSession: makeSession
        )
    }
}
