#if canImport(FoundationNetworking)
internal import HTTPSyntax
import Synchronization

/// One connection of a WebSocket, as the loop has it.
struct WebSocketConnection: Sendable {
    let channel: WebSocketChannel
    let handshake: WebSocketHandshake
    /// The attempt of a connector's that makes the connection; nil for the channel's only connection.
    var attempt: WebSocketAttempt?

    /// Passes a message on; returns false if so many are buffered that the connection has to pause.
    func receive(_ message: WebSocketTask.Message) -> Bool { channel.receive(message, of: attempt) }

    func noteClosure(_ closure: WebSocketTask.Closure) { channel.noteClosure(closure, of: attempt) }

    /// Records the end of the connection, unless it is known.
    func end(_ end: WebSocketEnd) { channel.end(end, of: attempt) }

    /// Records that the response to the handshake is not valid.
    func refuse(_ error: WebSocketError) {
        if let attempt { attempt.end(with: .failed(error)) } else { channel.end(.failed(error)) }
    }

    /// Records the end of the handshake's task.
    func complete(_ content: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        let outcome: WebSocketAttempt.Outcome
        if let error {
            outcome = .failed(error)
        } else if let response = response as? HTTPURLResponse {
            outcome = .refused(response, content ?? Data())
        } else {
            outcome = .failed(WebSocketError.ended(nil))
        }
        guard attempt?.end(with: outcome) != true else { return }
        switch outcome {
        case .failed(let error): end(.failed(error))
        case .refused(let response, let content): end(.failed(WebSocketError.refused(response, content)))
        case .open: break
        }
    }
}

/// One handshake of a WebSocket whose connections are made by a connector.
package final class WebSocketAttempt: Sendable {
    /// The outcome of a handshake.
    package enum Outcome: Sendable {
        case open(HTTPURLResponse?)
        case refused(HTTPURLResponse, Data)
        case failed(any Error)
    }

    private struct State {
        weak var task: (any HandshakeTask)?
        var outcome: Outcome?
        var waiter: CheckedContinuation<Outcome, Never>?
    }

    /// The names of the fields, in lower case, that a redirect to another origin does not get.
    let withheldFields: Set<String>
    private let state = Mutex(State())

    init(withheldFields: Set<String>) { self.withheldFields = withheldFields }

    var task: (any HandshakeTask)? { state.withLock { $0.task } }

    func attach(_ task: any HandshakeTask) { state.withLock { $0.task = task } }

    /// Gives an order to the loop.
    func post(_ order: WebSocketChannel.Order) {
        task?.post(order)
    }

    /// Records the outcome; returns false if it is known.
    @discardableResult func end(with outcome: Outcome) -> Bool {
        let (isFirst, waiter) = state.withLock { state in
            guard state.outcome == nil else { return (false, nil as CheckedContinuation<Outcome, Never>?) }
            state.outcome = outcome
            return (true, state.waiter.take())
        }
        waiter?.resume(returning: outcome)
        return isFirst
    }

    /// The request that was sent last, after redirects.
    package var request: URLRequest? { task?.currentRequest }

    /// Sends the handshake, and returns when the connection is open or cannot be opened. The cancellation of the Swift
    /// task cancels it.
    package func open() async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (outcome, task) = state.withLock { state in
                    if state.outcome == nil { state.waiter = continuation }
                    return (state.outcome, state.task)
                }
                if let outcome { return continuation.resume(returning: outcome) }
                task?.resume()
            }
        } onCancel: {
            cancel()
        }
    }

    /// Closes the connection at once.
    package func cancel() { task?.cancel() }
}

/// Something that happens on a WebSocket's connections.
package enum WebSocketActivity: Sendable {
    case sent(WebSocketTask.Message)
    case received(WebSocketTask.Message)
    /// A connection has ended, or the WebSocket before it had one.
    case ended(WebSocketEnd)
}

/// A closure that sees what happens on a WebSocket's connections. Called on any thread, and returns soon.
package typealias WebSocketObserver = @Sendable (WebSocketActivity) -> Void

/// The part of a WebSocket through which a connector makes its connections.
package struct WebSocketLine: Sendable {
    let channel: WebSocketChannel
    let latest: LatestHandshake

    /// Uses the open connection of an attempt.
    /// - Parameters:
    ///   - greeting: The messages that are sent before all others.
    ///   - isLast: Whether the WebSocket ends with the connection.
    /// - Returns: The loss of the connection; nil at the end of the WebSocket, and for the last connection.
    package func use(
        _ attempt: WebSocketAttempt,
        greeting: [WebSocketTask.Message],
        isLast: Bool
    ) async -> WebSocketLoss? {
        await channel.use(attempt, greeting: greeting, isLast: isLast)
    }

    /// Drops an attempt whose connection is not used, and closes that.
    package func abandon(_ attempt: WebSocketAttempt) { channel.abandon(attempt) }

    /// Ends the WebSocket, unless it has ended.
    package func end(_ end: WebSocketEnd) { channel.end(end) }

    /// Ends the WebSocket and closes its connection at once.
    package func cancel() { channel.cancel() }
}

/// The data task of a WebSocket's latest handshake.
final class LatestHandshake: Sendable {
    private let storage: Mutex<URLSessionDataTask?>

    init(_ task: URLSessionDataTask? = nil) { storage = Mutex(task) }

    var task: URLSessionDataTask? {
        get { storage.withLock { $0 } }
        // The previous task is released without the lock.
        set { _ = storage.withLock { exchange(&$0, with: newValue) } }
    }
}

/// The task that makes the handshake of a WebSocket, and has its connection afterwards.
protocol HandshakeTask: AnyObject, Sendable {
    /// The request that was sent last, after redirects.
    var currentRequest: URLRequest? { get }

    func resume()

    /// Resumes the task if nobody has done so yet.
    func resumeIfNew()

    func cancel()

    /// Gives an order to the loop.
    func post(_ order: WebSocketChannel.Order)
}
#endif
