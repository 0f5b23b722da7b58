#if canImport(FoundationNetworking)
import Synchronization

/// The judgement whether a libcurl reports every truncated HTTP/2 response as an error and every complete one as a
/// success, together with the engine's watch of streams (``StreamWatch``).
///
/// The version does not show this: distributions backport corrections, and new versions have new faults. So the loaded
/// libcurl reads prepared responses (``HTTP2Trial``), and its reports decide.
enum HTTP2Judgement: Equatable, Sendable {
    /// Every trial had the right outcome.
    case sound
    /// Some trials had the wrong outcome.
    case faulty([HTTP2Fault])
    /// libcurl did not even load a plain response in the trial, so that the other trials show nothing. Or the trials
    /// could not be run yet, because the process had no descriptor or memory left.
    case untried
    /// libcurl was built without HTTP/2. Nothing was tried.
    case absent

    /// The judgement on the libcurl of this process. It is made when it is first read, takes a few milliseconds, and
    /// uses no network. If descriptors or memory run out meanwhile, it is made when it is read again.
    static var ofLoadedLibcurl: HTTP2Judgement {
        guard Libcurl.hasHTTP2 else { return .absent }
        return madeJudgement.withLock { judgement in
            if judgement == nil { judgement = HTTP2Judgement(tracesStreams: HTTP2Trust.tracesStreams) }
            return judgement ?? .untried
        }
    }

    /// The judgement on the libcurl of this process; nil if it was not made yet.
    private static let madeJudgement = Mutex<HTTP2Judgement?>(nil)

    /// Judges the loaded libcurl. Nil if a trial could not be run, because descriptors or memory have run out.
    /// - Parameter tracesStreams: Whether the engine sees the frames that libcurl reads.
    init?(tracesStreams: Bool) {
        guard let runner = try? HTTP2TrialRunner(tracesStreams: tracesStreams) else { return nil }
        for socketSource in HTTP2TrialRunner.SocketSource.allCases {
            runner.socketSource = socketSource
            guard let isLoaded = runner.outcome(of: .plain) else { return nil }
            guard isLoaded else { continue }
            var faults: [HTTP2Fault] = []
            for trial in HTTP2Trial.all {
                guard let isRight = runner.outcome(of: trial) else { return nil }
                if !isRight, !faults.contains(trial.fault) { faults.append(trial.fault) }
            }
            self = faults.isEmpty ? .sound : .faulty(faults)
            return
        }
        self = .untried
    }

    /// The reason, without a full stop, why HTTP/2 is not offered by default; nil if it is offered.
    var lack: String? {
        switch self {
        case .sound: nil
        case .absent: "this libcurl was built without it"
        case .untried:
            "not offered by default, because this libcurl could not be tried within the process; "
                + "HTTP2Use.always offers it"
        case .faulty(let faults):
            "not offered by default, because with this libcurl \(Self.clause(of: faults)); HTTP2Use.always offers it"
        }
    }

    private static func clause(of faults: [HTTP2Fault]) -> String {
        let accepted = faults.filter(\.isAcceptance).map(\.clause)
        let refused = faults.filter { !$0.isAcceptance }.map(\.clause)
        var clauses: [String] = []
        if !accepted.isEmpty {
            clauses.append("a response looks complete although \(accepted.joined(separator: ", or "))")
        }
        if !refused.isEmpty {
            clauses.append("a complete response fails if \(refused.joined(separator: ", or if "))")
        }
        return clauses.joined(separator: ", and ")
    }
}
#endif
