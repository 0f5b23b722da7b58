#if canImport(FoundationNetworking)
internal import HTTPSyntax
import Synchronization

/// One connection of a WebSocket, as the loop uses it.
struct WebSocketConnection: Sendable {
    let channel: WebSocketChannel
    let handshake: WebSocketHandshake
    /// The connector's attempt that establishes the connection; nil if the channel has only one connection.
    var attempt: WebSocketAttempt?

    /// Passes a message to the channel. Returns false if too many messages are buffered. The connection then has to
    /// pause.
    func receive(_ message: WebSocketTask.Message) -> Bool { channel.receive(message, of: attempt) }

    func noteCloseFrame(_ frame: WebSocketTask.CloseFrame) { channel.noteCloseFrame(frame, of: attempt) }

    /// Takes back an order that the connection has not begun.
    /// - Parameter error: The error of the order if no other connection follows. Default: the error of the channel.
    func takeBack(_ order: WebSocketChannel.Order, orFail error: WebSocketError? = nil) {
        channel.takeBack(order, of: attempt, orFail: error)
    }

    /// Records the end of the connection, unless an end was already recorded.
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

/// One handshake of a WebSocket whose connections are established by a connector.
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

    /// The lower-case names of the fields that are not sent to another origin after a redirect.
    let withheldFields: Set<TextKey>
    private let state = Mutex(State())

    init(withheldFields: Set<TextKey>) { self.withheldFields = withheldFields }

    var task: (any HandshakeTask)? { state.withLock { $0.task } }

    func attach(_ task: any HandshakeTask) { state.withLock { $0.task = task } }

    /// Passes an order to the loop.
    func post(_ order: WebSocketChannel.Order) {
        task?.post(order)
    }

    /// Records the outcome. Returns false if there is already an outcome.
    @discardableResult func end(with outcome: Outcome) -> Bool {
        let (isFirst, waiter) = state.withLock { state in
            guard state.outcome == nil else { return (false, nil as CheckedContinuation<Outcome, Never>?) }
            state.outcome = outcome
            return (true, state.waiter.take())
        }
        waiter?.resume(returning: outcome)
        return isFirst
    }

    /// The last request that was sent. This may be a request after redirects.
    package var request: URLRequest? { task?.currentRequest }

    /// Sends the handshake. Returns when the connection is open or cannot be opened. Cancelling the Swift task cancels
    /// the handshake.
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

    /// Closes the connection immediately.
    package func cancel() { task?.cancel() }
}

/// An event on the connections of a WebSocket.
package enum WebSocketActivity: Sendable {
    case sent(WebSocketTask.Message)
    case received(WebSocketTask.Message)
    /// A connection has ended, or the WebSocket has ended before it had a connection.
    case ended(WebSocketEnd)
}

/// A closure that receives the events on a WebSocket's connections. It is called on any thread, and must not block.
package typealias WebSocketObserver = @Sendable (WebSocketActivity) -> Void

/// The data task of a WebSocket's latest handshake.
final class LatestHandshake: Sendable {
    private let storage: Mutex<URLSessionDataTask?>

    init(_ task: URLSessionDataTask? = nil) { storage = Mutex(task) }

    var task: URLSessionDataTask? {
        get { storage.withLock { $0 } }
        // The previous task is released outside the lock.
        set { _ = storage.withLock { exchange(&$0, with: newValue) } }
    }
}

/// The task that performs the handshake of a WebSocket, and then uses the connection.
protocol HandshakeTask: AnyObject, Sendable {
    /// The last request that was sent. This may be a request after redirects.
    var currentRequest: URLRequest? { get }

    func resume()

    /// Resumes the task if it was never resumed.
    func resumeIfNew()

    func cancel()

    /// Posts an order to the loop.
    func post(_ order: WebSocketChannel.Order)

    /// If the task is one of URLSession's WebSocket API, notifies the delegate that the connection is open.
    func reportOpening(_ subprotocol: String?)

    /// If the task is one of URLSession's WebSocket API, notifies the delegate of the server's close frame.
    func reportClosing(_ frame: WebSocketTask.CloseFrame)
}
#endif
