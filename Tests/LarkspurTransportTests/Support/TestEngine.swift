#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

/// The parts that a part of the engine is made with: a session without a thread, whose commands a test takes and whose
/// events are delivered on the thread of the test. Nothing of it uses libcurl or the network.
final class TestEngine {
    let settings: SessionSettings
    let session: SessionCore
    let outbox: Outbox
    let exchanges: ExchangeGroup

    /// - Parameters:
    ///   - delegate: The delegate of the session. Default: none.
    ///   - unavailability: The reason why every task fails. Default: none.
    ///   - isEnding: Whether the loop ends with its last exchange. Default: it does not.
    init(
        _ configuration: URLSessionConfiguration = .testing,
        options: EngineOptions = EngineOptions(),
        delegate: (any URLSessionDelegate)? = nil,
        unavailability: String? = nil,
        isEnding: Bool = false
    ) {
        settings = SessionSettings(configuration, options: options)
        session = SessionCore(
            settings: settings,
            delegate: delegate,
            place: .loop,
            unavailability: unavailability,
            thread: LoopThread { _ in 0 },
            work: { _, _ in true }
        )
        outbox = Outbox(mailbox: session.loop, cookies: settings.cookies)
        exchanges = ExchangeGroup(
            settings: settings,
            outbox: outbox,
            connections: Connections(settings: settings),
            isEnding: isEnding
        )
    }

    /// Creates a task for a URL that no test connects to.
    func makeTask(
        _ kind: TaskCore.Kind = .data,
        url: String = "http://origin.test/path",
        completion: TaskCore.Completion? = nil,
        resumption: ResumeData? = nil,
        defect: URLError? = nil,
        receiver: (any TransferReceiver)? = nil
    ) throws -> TaskCore {
        session.makeTask(
            kind: kind,
            request: URLRequest(url: try #require(URL(string: url))),
            body: .none,
            completion: completion,
            resumption: resumption,
            defect: defect,
            receiver: receiver
        )
    }

    /// Takes the commands to the loop, and delivers the events among them.
    /// - Returns: The names of the others.
    func takeCommands() -> [String] {
        var commands: [LoopMailbox.Command] = []
        session.loop.takeCommands(&commands)
        return commands.compactMap { command in
            if case .deliver(var items) = command {
                session.delivery.send(&items)
                return nil
            }
            return command.name
        }
    }
}

extension LoopMailbox.Command {
    fileprivate var name: String {
        switch self {
        case .resume: "resume"
        case .suspend: "suspend"
        case .cancel: "cancel"
        case .cancelResumably: "cancelResumably"
        case .answer: "answer"
        case .consumed: "consumed"
        case .body: "body"
        case .produced: "produced"
        case .reported: "reported"
        case .prioritize: "prioritize"
        case .cached: "cached"
        case .deliver: "deliver"
        case .webSocket: "webSocket"
        case .stored: "stored"
        case .resolved: "resolved"
        case .snapshot: "snapshot"
        case .run: "run"
        case .end: "end"
        }
    }
}

/// A task object that does nothing.
final class InertTask: URLSessionDataTask, @unchecked Sendable {
    // Safe: it has no properties.
}

/// A session object that makes inert task objects.
final class InertSession: URLSession, SessionObject, @unchecked Sendable {
    // Safe: the closure is a constant.
    private let onCreation: @Sendable (TaskCore) -> Void

    /// - Parameter onCreation: Called before each task object is made.
    init(onCreation: @escaping @Sendable (TaskCore) -> Void = { _ in }) {
        self.onCreation = onCreation
        super.init(configuration: .ephemeral, delegate: nil, delegateQueue: nil)
    }

    func makeTaskObject(_ core: TaskCore) -> URLSessionTask {
        onCreation(core)
        return InertTask()
    }

    func makeDownloadTask(_ core: TaskCore) -> URLSessionDownloadTask { URLSessionDownloadTask() }

    func whenSuperclassIsIdle(_ action: @escaping @Sendable () -> Void) { action() }
}

/// A receiver that records the events of its transfer by name, and accepts everything.
final class RecordingReceiver: TransferReceiver {
    let events = Recorder<String>()
    private let holdsContent: Bool
    /// The objects that keep content from counting as consumed.
    let held = Recorder<(any Sendable)?>()

    /// - Parameter holdsContent: Whether content does not count as consumed. Default: it does.
    init(holdsContent: Bool = false) { self.holdsContent = holdsContent }

    func receive(_ response: ReceivedResponse) -> TransferAnswer<URLSession.ResponseDisposition> {
        events.record("response \(response.statusCode ?? 0)")
        return .now(.allow)
    }

    func receiveInterim(_ response: ReceivedResponse) { events.record("interim \(response.statusCode ?? 0)") }

    func receive(_ data: Data, hold: () -> (any Sendable)?) {
        if holdsContent { held.record(hold()) }
        events.record("data \(String(decoding: data, as: UTF8.self))")
    }

    func contentEnded() { events.record("contentEnded") }
    func sent(_ count: Int64, total: Int64, expected: Int64) { events.record("sent \(count) \(total) \(expected)") }
    func wrote(_ count: Int64, total: Int64, expected: Int64) { events.record("wrote \(count) \(total) \(expected)") }
    func resumed(at offset: Int64, expected: Int64) { events.record("resumed \(offset) \(expected)") }

    func receiveFile(at location: URL) {
        events.record("file \((try? String(contentsOf: location, encoding: .utf8)) ?? "none")")
    }

    func redirect(_ response: HTTPURLResponse, to request: URLRequest) -> TransferAnswer<URLRequest?> {
        events.record("redirect")
        return .now(request)
    }

    func answer(_ challenge: URLAuthenticationChallenge) -> TransferAnswer<ChallengeDecision> {
        events.record("challenge")
        return .now((.performDefaultHandling, nil))
    }

    func makeBodyStream(_ completion: @escaping @Sendable (InputStream?) -> Void) {
        events.record("stream")
        completion(nil)
    }

    var cachingDecision: CachingDecision { { _ in nil } }

    func becomeDownload(
        _ downloadTask: URLSessionDownloadTask,
        of task: URLSessionDataTask,
        in session: URLSession
    ) -> any TransferReceiver { self }

    func end(with error: (any Error)?) {
        events.record((error as? URLError).map { "failure \($0.code.rawValue)" } ?? "end")
    }
}
#endif
