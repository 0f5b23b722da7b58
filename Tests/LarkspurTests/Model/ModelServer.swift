import LarkspurTesting
import Synchronization

@testable import Larkspur

/// The server of the model's calls, and the same behaviour as a stub. The last segment of a path is the key of a call.
final class ModelServer: Sendable {
    private struct State {
        var gates: [String: LoopbackServer.Gate] = [:]
    }

    let server: LoopbackServer
    private let state = Mutex(State())
    private static let small = #"{"name": "Ada"}"#
    private static let large = Data(repeating: UInt8(ascii: "x"), count: 150_000)

    /// The faults that end an exchange.
    private static let faults = LoopbackServer.Fault.allCases.filter { $0.outcome == .failure }

    init() throws {
        server = try LoopbackServer()
        server.route("/prompt/{key}", .json(Self.small))
        server.route("/large/{key}", .data(Self.large, contentType: "application/json").resumable)
        server.route("/redirect/{key}") { .redirect(to: "/prompt/\($0.parameters["key"] ?? "")") }
        server.route("/unavailable/{key}", .json(Self.small, status: 503))
        server.route("/never/{key}", .fault(.noResponse))
        server.route("/broken/{key}") { request in
            let key = request.parameters["key"] ?? ""
            return .fault(Self.faults[key.utf8.reduce(0) { ($0 * 31 + Int($1)) % Self.faults.count }])
        }
        let events = "id: 1\ndata: a\n\ndata: b\n\n"
        server.route("/events/{key}", .stream([.text(events)], contentType: "text/event-stream"))
        // The gates belong to the server, so that the handlers must not retain it.
        server.route("/held-head/{key}") { [weak self] in
            .json(Self.small).held(until: self?.gate($0.parameters["key"] ?? "") ?? LoopbackServer.Gate())
        }
        server.route("/held-content/{key}") { [weak self] in
            let gate = self?.gate($0.parameters["key"] ?? "") ?? LoopbackServer.Gate()
            return .stream([.bytes(Self.large), .wait(gate), .bytes(Self.large)]).resumable
        }
    }

    /// The gate of a call's responses.
    func gate(_ key: String) -> LoopbackServer.Gate {
        state.withLock { state in
            let gate = state.gates[key] ?? LoopbackServer.Gate()
            state.gates[key] = gate
            return gate
        }
    }

    func forgetGates() { state.withLock { $0.gates = [:] } }

    /// A transport with the same behaviour and without a network.
    var stub: Transport {
        .custom { [self] configuration, delegate, queue in
            StubURLSession(configuration: configuration, delegate: delegate, delegateQueue: queue) { [weak self] in
                self?.reply(to: $0) ?? .hang
            }
        }
    }

    private func reply(to request: URLRequest) -> StubURLSession.Reply {
        let key = request.url?.lastPathComponent ?? ""
        switch request.url?.deletingLastPathComponent().lastPathComponent {
        case "large": return .data(Self.large, contentType: "application/json").inChunks(of: 50_000)
        case "unavailable": return .json(Self.small, status: 503)
        case "never": return .hang
        case "broken": return .fail(.networkConnectionLost)
        case "held-head": return .json(Self.small).held(until: gate(key))
        case "held-content": return .data(Self.large, contentType: "text/plain").held(until: gate(key))
        case "events": return .data(Data("data: a\n\n".utf8), contentType: "text/event-stream")
        default: return .json(Self.small)
        }
    }
}

/// A reference that does not retain its object.
struct WeakObject: Sendable {
    // Safe: only ever read.
    nonisolated(unsafe) private(set) weak var object: (any AnyObject & Sendable)?

    init(_ object: any AnyObject & Sendable) { self.object = object }
}

extension LoopbackServer.Response {
    /// The response with a validator, so that a download of it can be resumed.
    fileprivate var resumable: Self {
        var response = adding("ETag", "\"1\"")
        response.acceptsRanges = true
        return response
    }
}
