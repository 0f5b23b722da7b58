/// An HTTP client that is measured.
package protocol Client: Sendable {
    associatedtype Request: Sendable

    /// Prepares what is the same for every request of a run.
    func makeRequest(_ target: Target) throws -> Request

    /// Keeps so many requests in flight until the loop has no more of them, and returns when all have ended.
    func run(_ request: Request, in loop: ClosedLoop, inFlight: Int) async

    /// Gives back what the client holds; returns when that is done, as far as the client tells.
    func invalidate() async
}
