/// What carries requests: which `URLSession` a ``SessionManager`` wraps.
public struct Transport: Sendable {
    /// Makes a session with a configuration, its delegate, and the queue on which that is to be called.
    public typealias SessionFactory =
        @Sendable (URLSessionConfiguration, any URLSessionDelegate, OperationQueue) -> URLSession

    /// Makes a session that enforces a security policy, with the rest of what ``SessionFactory`` is given.
    public typealias SecureSessionFactory =
        @Sendable (SecurityPolicy, URLSessionConfiguration, any URLSessionDelegate, OperationQueue) -> URLSession

    let makeSession: SessionFactory
    /// Nil for a transport that can enforce none but what the system does by itself.
    let makeSecureSession: SecureSessionFactory?

    init(makeSession: @escaping SessionFactory, makeSecureSession: SecureSessionFactory? = nil) {
        self.makeSession = makeSession
        self.makeSecureSession = makeSecureSession
    }

    /// The best transport there is: `curl` on Linux where libcurl can be used, else `foundation`.
    public static let automatic = Platform.bestTransport

    /// Foundation's own `URLSession`.
    ///
    /// On Linux that is FoundationNetworking, which some server replies end the process of or hang; see its limits in
    /// `Docs/Linux.md`.
    public static let foundation = Transport(makeSession: Platform.makeFoundationSession)

    /// A `URLSession`, or a subclass, of the caller's making, such as the stub session of LarkspurTesting.
    ///
    /// It enforces no ``SecurityPolicy``: with one that asks for more than the system's own checks, every request fails
    /// before it is sent.
    /// - Parameter makeSession: Makes a session; called when the first task is made and again after the session was
    ///   reset, on the thread that makes the task. It must hand on the delegate and the queue. No lock is held
    ///   meanwhile: threads that make their first tasks at once may make a session each, of which one is kept and the
    ///   others are invalidated. Requests that it makes itself with the session manager fail with
    ///   `transportUnavailable`.
    public static func custom(_ makeSession: @escaping SessionFactory) -> Transport {
        Transport(makeSession: makeSession)
    }

    /// A `URLSession` of the caller's making that enforces the session manager's ``SecurityPolicy``, such as a stub
    /// session that needs none.
    /// - Parameter makeSession: Makes a session that enforces the policy; otherwise as with ``custom(_:)``.
    public static func custom(enforcingSecurityPolicy makeSession: @escaping SecureSessionFactory) -> Transport {
        Transport(
            makeSession: { configuration, delegate, queue in makeSession(.default, configuration, delegate, queue) },
            makeSecureSession: makeSession
        )
    }
}
