#if canImport(FoundationNetworking)
import Synchronization

/// The judgement whether a libcurl handles HTTP/2 responses correctly, together with the engine's watch of streams
/// (``StreamWatch``). A correct libcurl reports every truncated response as an error and every complete response as a
/// success.
///
/// The version of libcurl does not show this, because distributions backport corrections, and new versions have new
/// faults. So the loaded libcurl reads prepared responses (``HTTP2Trial``), and the judgement depends on its reports.
enum HTTP2Judgement: Equatable, Sendable {
    /// Every trial has had the right outcome.
    case sound
    /// Some trials have had the wrong outcome.
    case faulty([HTTP2Fault])
    /// The other trials show nothing, because libcurl did not even load a plain response. Or the trials could not be
    /// run yet, because the process had no free descriptor or memory.
    case untried
    /// libcurl was built without HTTP/2, so there was no trial.
    case absent

    /// The judgement on the libcurl of this process. It is made when this property is first read, takes a few
    /// milliseconds, and uses no network. If descriptors or memory run out during the trials, the judgement is made at
    /// the next read.
    static var ofLoadedLibcurl: HTTP2Judgement {
        guard Libcurl.hasHTTP2 else { return .absent }
        return madeJudgement.withLock { judgement in
            if judgement == nil { judgement = HTTP2Judgement(tracesStreams: HTTP2Trust.tracesStreams) }
            return judgement ?? .untried
        }
    }

    /// The judgement on the libcurl of this process; nil if it has not been made yet.
    private static let madeJudgement = Mutex<HTTP2Judgement?>(nil)

    /// Judges the loaded libcurl. Returns nil if a trial could not be run, because descriptors or memory have run out.
    /// - Parameter tracesStreams: Whether the engine receives the frames that libcurl reads.
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
    var unavailability: String? {
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

/// A fault of libcurl's HTTP/2 that a trial can show.
enum HTTP2Fault: Sendable, CaseIterable {
    // libcurl accepts a truncated response.
    case resetWithError
    case resetWithoutError
    case goAway
    case connectionEnd
    case faultyFrame
    case shortContent
    case faultOfOtherStream
    // libcurl refuses a complete response.
    case resetAfterEnd
    case resetDuringUpload
    case cancellation

    /// Whether libcurl accepts a truncated response. If false, libcurl refuses a complete response.
    var isAcceptance: Bool {
        switch self {
        case .resetWithError, .resetWithoutError, .goAway, .connectionEnd, .faultyFrame, .shortContent: true
        case .faultOfOtherStream: true
        case .resetAfterEnd, .resetDuringUpload, .cancellation: false
        }
    }

    var clause: String {
        switch self {
        case .resetWithError: "its stream was reset with an error"
        case .resetWithoutError: "its stream was reset without an error code"
        case .goAway: "a GOAWAY has ended its stream"
        case .connectionEnd: "its connection has ended"
        case .faultyFrame: "a faulty frame has ended its connection"
        case .shortContent: "it is shorter than announced"
        case .faultOfOtherStream: "a fault of another stream has ended its connection"
        case .resetAfterEnd: "its stream is reset after its end"
        case .resetDuringUpload: "its stream is reset before all of the request was sent"
        case .cancellation: "much content of a cancelled request arrives on its connection"
        }
    }
}

/// A prepared conversation with libcurl, and the fault that a wrong outcome shows.
struct HTTP2Trial {
    let fault: HTTP2Fault
    /// The frames of the server. libcurl reads all frames of one element at once, and the frames of the next element
    /// later. After the last element, the server closes the connection.
    let writes: [[HTTP2Frame]]
    /// Whether the request has content that has not been sent when the response arrives.
    var isUpload = false
    /// Whether the responses announce their lengths.
    var announcesLength = false
    /// The element before which a second request begins on the same connection; nil for no second request.
    var secondRequest: Int?
    /// The element before which the first request is cancelled; nil if it is not cancelled.
    var cancellation: Int?

    /// The number of content bytes of a complete response.
    static let length = 6

    private static let beginning: [HTTP2Frame] = [.head(of: 1), .data(length, of: 1)]

    /// A response without faults.
    static let plain = HTTP2Trial(
        fault: .resetAfterEnd,
        writes: [[.head(of: 1), .data(4, of: 1)], [.data(length - 4, of: 1, endsStream: true)]]
    )

    /// All trials except the plain one. For some versions of libcurl, it matters whether the end of a response arrives
    /// together with its beginning.
    static let all: [HTTP2Trial] =
        interruption(.resetWithError, .reset(of: 1, .internalError))
        + interruption(.resetWithoutError, .reset(of: 1, .noError))
        + interruption(.goAway, .goAway(after: 0, .noError))
        + interruption(.faultyFrame, .faulty)
        + [
            HTTP2Trial(fault: .connectionEnd, writes: [beginning]),
            HTTP2Trial(
                fault: .shortContent,
                writes: [[.head(of: 1, length: length), .data(3, of: 1, endsStream: true)]],
                announcesLength: true
            ),
            HTTP2Trial(
                fault: .faultOfOtherStream,
                writes: [beginning, [.head(of: 3), .data(length, of: 3), .faulty]],
                secondRequest: 1
            ),
            HTTP2Trial(
                fault: .resetAfterEnd,
                writes: [[.head(of: 1), .data(length, of: 1, endsStream: true), .reset(of: 1, .noError)]]
            ),
            HTTP2Trial(
                fault: .resetDuringUpload,
                writes: [[.head(of: 1), .data(length, of: 1, endsStream: true), .reset(of: 1, .noError)]],
                isUpload: true
            ),
            HTTP2Trial(
                fault: .cancellation,
                writes: [
                    [.head(of: 1)], [.head(of: 3)],
                    Array(repeating: .data(1, of: 1), count: lateFrames) + [.data(length, of: 3, endsStream: true)],
                ],
                secondRequest: 1,
                cancellation: 2
            ),
        ]

    /// The number of frames that arrive after a cancellation. So many frames can be in transit when a download is
    /// cancelled. nghttp2 1.67 and 1.68 end a connection after 1000 frames of a cancelled stream.
    private static let lateFrames = 1100

    private static func interruption(_ fault: HTTP2Fault, _ frame: HTTP2Frame) -> [HTTP2Trial] {
        [[beginning + [frame]], [beginning, [frame]]].map { HTTP2Trial(fault: fault, writes: $0) }
    }

    /// Whether the responses are complete.
    var isComplete: Bool { !fault.isAcceptance }
}
#endif
