#if canImport(FoundationNetworking)
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
    /// libcurl did not even load a plain response in the trial. So the other trials show nothing.
    case untried
    /// libcurl was built without HTTP/2. Nothing was tried.
    case absent

    /// The judgement on the libcurl of this process. It is made when it is first read, takes a few milliseconds, and
    /// uses no network.
    static let ofLoadedLibcurl = Libcurl.hasHTTP2 ? HTTP2Judgement(tracesStreams: HTTP2Trust.tracesStreams) : .absent

    /// Judges the loaded libcurl.
    /// - Parameter tracesStreams: Whether the engine sees the frames that libcurl reads.
    init(tracesStreams: Bool) {
        self = .untried
        guard let runner = try? HTTP2TrialRunner(tracesStreams: tracesStreams) else { return }
        for socketSource in HTTP2TrialRunner.SocketSource.allCases {
            runner.socketSource = socketSource
            guard runner.outcome(of: .plain) == true else { continue }
            let trials = HTTP2Trial.all.filter { runner.outcome(of: $0) != true }
            var faults: [HTTP2Fault] = []
            for trial in trials where !faults.contains(trial.fault) { faults.append(trial.fault) }
            self = faults.isEmpty ? .sound : .faulty(faults)
            return
        }
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
