#if canImport(FoundationNetworking)
import TestSupport

/// One case of a run of crossings: calls that combine a feature of the client with another one. It has a choice on each
/// axis, and a smaller choice is simpler.
///
/// The axis of libcurl is the process: `Tests/Interop/libcurls.sh chosen VERSION …`.
struct Crossing: Sendable, Hashable {
    enum Body: String, CaseIterable {
        case nothing, data, file, stream, form
        /// Produced content that can be sent again: by a closure that writes, and by a closure that makes a sequence.
        case repeatableWriter, repeatableSequence
        /// Produced content that can be sent once. `writers` are several Swift tasks with the same writer.
        case writer, writers, sequence
        /// Produced content that can be sent again, and a field behind it.
        case trailers

        var isProducedOnce: Bool { self == .writer || self == .writers || self == .sequence }
        /// Whether a closure of the caller writes.
        var isWritten: Bool {
            self == .writer || self == .writers || self == .repeatableWriter || self == .trailers
        }
    }

    /// The size of the content. `large` is more than the 1 MiB from which on a request expects a 100.
    enum Size: String, CaseIterable {
        case empty, byte, medium, large
    }

    enum Method: String, CaseIterable {
        case put, post
    }

    enum Connection: String, CaseIterable {
        case fresh, kept
        /// Kept, and closed by the server before the request, while it arrives, and after it.
        case lostBefore, lostDuring, lostAfter
        case proxy, tunnel
        case http2

        var isLost: Bool { self == .lostBefore || self == .lostDuring || self == .lostAfter }
        var isKept: Bool { self == .kept || isLost }
    }

    enum Response: String, CaseIterable {
        case ordinary
        /// Interim responses before it.
        case interim
        /// Each response waits until the requests of all calls have arrived.
        case held
        /// Whole, before the content of the request; the connection stays open or is closed.
        case early, earlyClosing
        /// First a 401, a 307, or a 417 if there is an expectation; then an ordinary response.
        case challenge, redirect, expectationFailed
        /// The connection ends without a response, or in the middle of its content.
        case silence, cut
        /// HTTP/2: the first stream is refused, or there is a GOAWAY that does not include it, or includes it.
        case refusedStream, goAwayBefore, goAwayAfter

        var isOfHTTP2: Bool { self == .refusedStream || self == .goAwayBefore || self == .goAwayAfter }
        var isWhole: Bool { self != .silence && self != .cut }
    }

    enum Way: String, CaseIterable {
        case awaited, closures, chain, sequence, opened, scoped, download, webSocket

        /// Whether the program reads the content as it arrives.
        var isRead: Bool { self == .sequence || self == .opened || self == .scoped }
    }

    /// Something that a program does from within a call.
    enum Action: String, CaseIterable {
        case cancel, suspend, resume, invalidate
        /// The time limit of the call is reached.
        case expire
        /// One of the tasks that write ends the content.
        case finish
        /// The response has ended, or was lost, before the decision on it.
        case decideLate
    }

    /// The place from which a program does something.
    enum Place: String, CaseIterable {
        case created, attempt, head, completed
        case hook, interceptorBefore, interceptorAfter, writer, uploadProgress, downloadProgress

        var isObserver: Bool { self == .created || self == .attempt || self == .head || self == .completed }
    }

    struct Order: Hashable {
        let action: Action
        let place: Place

        static let all: [Order?] =
            [nil]
            + [Action.cancel, .suspend, .resume, .invalidate, .expire].flatMap { action in
                Place.allCases.map { Order(action: action, place: $0) }
            } + [Order(action: .finish, place: .writer), Order(action: .decideLate, place: .hook)]
    }

    /// A feature that takes part in the calls.
    enum Surroundings: String, CaseIterable {
        case nothing
        case retry, circuitBreaker, rateLimit, concurrencyLimit, coalescing, compression, traceContext, authentication
        case cache, executor, limits, standard, serverLimits
    }

    static let axes: [(name: String, values: [String])] = [
        axis("connection", Connection.self), axis("response", Response.self), axis("body", Body.self),
        axis("size", Size.self), axis("method", Method.self), axis("way", Way.self),
        ("order", Order.all.map { $0.map { "\($0.action)@\($0.place)" } ?? "none" }),
        axis("around", Surroundings.self), ("calls", ["1", "12"]),
    ]

    /// The choices on ``axes``.
    var choices = [Int](repeating: 0, count: axes.count)

    var connection: Connection { Connection.allCases[choices[0]] }
    var response: Response { Response.allCases[choices[1]] }
    var body: Body { Body.allCases[choices[2]] }
    var size: Size { Size.allCases[choices[3]] }
    var method: Method { Method.allCases[choices[4]] }
    var way: Way { Way.allCases[choices[5]] }
    var order: Order? { Order.all[choices[6]] }
    var surroundings: Surroundings { Surroundings.allCases[choices[7]] }
    var calls: Int { choices[8] == 0 ? 1 : 12 }

    private static func axis<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        _ values: Value.Type
    ) -> (name: String, values: [String]) { (name, values.allCases.map(\.rawValue)) }
}

extension Crossing {
    /// Whether the choices can be made together.
    var isPossible: Bool { Self.isPossible(choices) }

    /// Whether choices can be made together, of which some are open. Each condition is about two axes.
    static func isPossible(_ choices: [Int?]) -> Bool {
        let connection = choices[0].map { Connection.allCases[$0] }
        let response = choices[1].map { Response.allCases[$0] }
        let body = choices[2].map { Body.allCases[$0] }
        let way = choices[5].map { Way.allCases[$0] }
        let surroundings = choices[7].map { Surroundings.allCases[$0] }
        let isPlain = surroundings == nil || surroundings == .nothing
        if body == .nothing, choices[3] ?? 0 != 0 || choices[4] ?? 0 != 0 { return false }
        if let response, response.isOfHTTP2, connection != nil, connection != .http2 { return false }
        // Over HTTP/2 there are other ways to end a connection, no expectations, and no trailers of requests.
        if connection == .http2, response == .expectationFailed || response == .earlyClosing || body == .trailers {
            return false
        }
        if way == .download || way == .webSocket, let body, body != .nothing { return false }
        if way == .webSocket {
            if connection == .http2 || !isPlain { return false }
            if let response, ![.ordinary, .held, .silence, .cut, .redirect].contains(response) { return false }
        }
        guard let order = choices[6].flatMap({ Order.all[$0] }) else { return true }
        // A call that waits in a line, or for another attempt, would wait for the test's clock.
        if order.action == .expire, !isPlain { return false }
        if way == .webSocket { return order.action == .cancel && order.place.isObserver && order.place != .attempt }
        switch order.place {
        case .hook: return order.action != .decideLate || way != .download
        case .writer:
            guard let body else { return way != .download }
            return body.isWritten && (order.action != .finish || body != .trailers)
        case .uploadProgress: return body != .nothing && way != .download
        default: return true
        }
    }
}

// MARK: Text

extension Crossing: CustomStringConvertible {
    /// The choices that are not the simplest ones, as ``init(_:)`` reads them.
    var description: String {
        let words = zip(Self.axes, choices).filter { $0.1 != 0 }.map { axis, choice in
            "\(axis.name)=\(axis.values[choice])"
        }
        return words.isEmpty ? "connection=fresh" : words.joined(separator: " ")
    }

    /// All choices.
    var allChoices: String {
        zip(Self.axes, choices).map { axis, choice in "\(axis.name)=\(axis.values[choice])" }.joined(separator: " ")
    }

    /// Reads choices; nil if a word is none. The choices that are not named are the simplest ones.
    init?(_ text: String) {
        guard let fixed = Self.fixedChoices(text) else { return nil }
        for (axis, choice) in fixed { choices[axis] = choice }
    }

    /// The choices that a text names, by their axes; nil if a word is none.
    static func fixedChoices(_ text: String) -> [Int: Int]? {
        var fixed: [Int: Int] = [:]
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let axis = axes.firstIndex(where: { $0.name == parts[0] }),
                let choice = axes[axis].values.firstIndex(of: parts[1])
            else { return nil }
            fixed[axis] = choice
        }
        return fixed
    }
}

// MARK: Generating and shrinking

extension Crossing {
    /// Creates a possible crossing.
    /// - Parameters:
    ///   - fixed: The choices that are given, by their axes.
    init(fixed: [Int: Int], _ available: [[Int]], using random: inout SeededGenerator) {
        repeat {
            for axis in choices.indices {
                choices[axis] = fixed[axis] ?? available[axis].randomElement(using: &random) ?? 0
            }
        } while !isPossible
    }

    /// Possible crossings with a simpler choice on one axis, the simplest ones first.
    var simplifications: [Crossing] {
        choices.indices.flatMap { axis in
            (0..<choices[axis]).map { simpler in
                var copy = self
                copy.choices[axis] = simpler
                return copy
            }
        }.filter(\.isPossible)
    }

    /// The simplest crossing that still fails.
    /// - Parameter fails: Runs a crossing, and returns whether it fails.
    func shrunk(limit: Int = 60, _ fails: (Crossing) async throws -> Bool) async rethrows -> Crossing {
        var current = self
        var tried: Set<Crossing> = []
        search: while true {
            for simpler in current.simplifications where tried.count < limit && tried.insert(simpler).inserted {
                if try await fails(simpler) {
                    current = simpler
                    continue search
                }
            }
            return current
        }
    }
}
#endif
