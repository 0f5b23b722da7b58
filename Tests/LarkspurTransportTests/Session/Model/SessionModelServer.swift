#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization

/// The server of the runs of a model. The last segment of a path is the key of a task, or the name of a run.
final class SessionModelServer: Sendable {
    let server: LoopbackServer
    private let gates = Mutex<[String: LoopbackServer.Gate]>([:])

    init() throws {
        server = try LoopbackServer()
        server.route("/prompt/{key}", .text("x"))
        server.route("/large/{key}", .data(Data(repeating: 7, count: 150_000)))
        server.route("/redirect/{key}") { .redirect(to: "/prompt/\($0.parameters["key"] ?? "")") }
        let faults = LoopbackServer.Fault.allCases.filter { $0.outcome == .failure }
        server.route("/broken/{key}") { request in
            let key = request.parameters["key"] ?? ""
            return .fault(faults[key.utf8.reduce(0) { ($0 * 31 + Int($1)) % faults.count }])
        }
        server.route("/never/{key}", .fault(.noResponse))
        // The server belongs to this object, so that its handlers must not retain it.
        server.route("/held/{key}") { [weak self] request in
            let gate = self?.gates.withLock { $0[request.parameters["key"] ?? ""] }
            return .stream([.text("a"), .wait(gate ?? LoopbackServer.Gate()), .text("b")])
        }
    }

    /// Sets the gate of a run.
    func setGate(_ gate: LoopbackServer.Gate, of run: String) { gates.withLock { $0 = [run: gate] } }
}
#endif
