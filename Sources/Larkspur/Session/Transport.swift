/// What carries requests: which `URLSession` a ``SessionManager`` wraps.
public struct Transport: Sendable {
    /// Makes a session with a configuration, its delegate, and the queue on which that is to be called.
    public typealias SessionFactory =
        @Sendable (URLSessionConfiguration, any URLSessionDelegate, OperationQueue) -> URLSession

    let makeSession: SessionFactory

    /// The best transport there is: `curl` on Linux where libcurl can be used, else `foundation`.
    public static let automatic = Platform.bestTransport

    /// Foundation's own `URLSession`.
    ///
    /// On Linux that is FoundationNetworking, which some server replies end the process of or hang; see its limits in `Docs/Linux.md`.
    public static let foundation = Transport(makeSession: Platform.makeFoundationSession)

    /// A `URLSession`, or a subclass, of the caller's making, such as the stub session of LarkspurTesting.
    /// - Parameter makeSession: Makes a session; called when the first task is made and again after the session was reset. It must hand on the delegate and the
    ///   queue.
    public static func custom(_ makeSession: @escaping SessionFactory) -> Transport {
        Transport(makeSession: makeSession)
    }
}
