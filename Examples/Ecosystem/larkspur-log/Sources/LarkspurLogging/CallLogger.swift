public import Larkspur
public import Logging

/// An observer that logs the calls of a session manager.
///
///     manager.observers.append(.logging(to: logger))
///
/// A call that failed has the level `error`, a retry `warning`, a call that succeeded or was cancelled `info`, and the
/// beginnings of attempts and redirects have `debug`. The metadata has the paths of URLs, but no users and queries, and
/// no fields and content.
///
/// The observer runs on the manager's completion queue. So the logger's metadata provider does not see the task-local
/// values of the code that made the call, such as its `ServiceContext`.
public struct CallLogger: CallObserver {
    /// The kinds of events that are logged.
    public let kinds: Set<CallEvent.Kind> = [.attemptStarted, .redirected, .retryScheduled, .completed]

    private let logger: Logger

    /// Creates an observer.
    /// - Parameter logger: The logger that gets a line for each event.
    public init(_ logger: Logger) { self.logger = logger }

    /// Logs an event.
    public func observe(_ event: CallEvent) {
        switch event.kind {
        case .attemptStarted: log(event, .debug, "A request is sent.")
        case .redirected: log(event, .debug, "A response is a redirect.")
        case .retryScheduled: log(event, .warning, "A request will be sent again.")
        case .completed:
            switch event.error?.code {
            case nil: log(event, .info, "A call succeeded.")
            case LarkspurError.Code.cancelled: log(event, .info, "A call was cancelled.")
            default: log(event, .error, "A call failed.")
            }
        default: break
        }
    }

    private func log(_ event: CallEvent, _ level: Logger.Level, _ message: Logger.Message) {
        logger.log(level: level, message, metadata: metadata(of: event))
    }

    private func metadata(of event: CallEvent) -> Logger.Metadata {
        let request = event.request ?? event.task?.originalRequest
        var metadata: Logger.Metadata = ["call.id": "\(event.callID)"]
        metadata["http.request.method"] = request?.httpMethod.map { "\($0)" }
        metadata["url.full"] = request?.url.map { "\(Redaction.standard.text(of: $0))" }
        metadata["http.response.status_code"] = event.httpResponse.map { "\($0.statusCode)" }
        metadata["attempts"] = "\(event.attempt)"
        metadata["duration"] = event.completion?.timeline.totalDuration.map { "\($0)" }
        metadata["delay"] = event.delay.map { "\($0)" }
        metadata["reason"] = event.reason.map { "\($0)" }
        // The description of an error has no secrets.
        metadata["error"] = event.error.map { "\($0)" }
        metadata["error.type"] = event.error.map { "\($0.label)" }
        return metadata
    }
}

extension CallObserver where Self == CallLogger {
    /// Returns an observer that logs calls.
    /// - Parameter logger: The logger that gets a line for each event.
    public static func logging(to logger: Logger) -> CallLogger { CallLogger(logger) }
}
