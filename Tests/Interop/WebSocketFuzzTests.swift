#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import TestSupport
import Testing

/// Random sequences of frames, compared with what another client makes of them. Where the two may differ, and why, is
/// said by the rules in Scripts/websocket_fuzz.py.
@Suite("Random frames of a WebSocket server", .needsServers, .timeLimit(.minutes(5)))
struct WebSocketFuzzTests {
    /// The outcome of a sequence for a client.
    private struct Outcome: Decodable, Equatable {
        /// The messages that are delivered, each as its kind and its bytes in base64.
        var messages: [String] = []
        /// The contents of the pongs that are sent, in base64.
        var pongs: [String] = []
        /// `closed`, `violation` or `lost`.
        var ending = ""
        /// The code of the close frame that is sent; 1005 for one without code.
        var sent: Int?
        /// The code and the reason of the server's close frame.
        var code: Int?
        var reason = ""
    }

    private struct Report: Decodable {
        let sent: Int?
        let pongs: [String]
        /// The fault of the frames that the client has sent.
        let fault: String?
        let expected: [Outcome]
        let bytes: String
    }

    private let servers: Servers
    private let session: CurlURLSession

    init() throws {
        servers = try Servers()
        session = servers.makeSession()
    }

    @Test("The client gets the same result from random frames as Python's websockets")
    func comparison() async throws {
        let seed = TestSeed.value
        let count = ProcessInfo.processInfo.environment["LARKSPUR_STRESS"] == nil ? 600 : 20_000
        defer { session.finishTasksAndInvalidate() }
        let endings = try await withThrowingTaskGroup(of: [String].self) { group in
            let workers = 8
            for worker in 0..<workers {
                group.addTask {
                    var endings: [String] = []
                    for index in stride(from: worker, to: count, by: workers) {
                        endings.append(try await compare("/\(seed)/\(index)"))
                    }
                    return endings
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        #expect(endings == ["closed", "violation", "lost"])
    }

    /// Returns the ending of a sequence.
    private func compare(_ path: String) async throws -> String {
        var options = WebSocketOptions()
        options.maximumMessageSize = 70_000
        let socket = session.webSocket(with: try servers.webSocketURL(.webSocketFuzz, path), options: options)
        var outcome = Outcome()
        do {
            try await socket.open()
            for try await message in socket.messages {
                switch message {
                case .text(let text): outcome.messages.append("text:" + Data(text.utf8).base64EncodedString())
                case .data(let data): outcome.messages.append("data:" + data.base64EncodedString())
                }
            }
            outcome.ending = "closed"
        } catch let error as WebSocketError where error.kind == .closed || error.kind == .violation {
            outcome.ending = error.kind.description
        } catch let error as URLError where error.code == .networkConnectionLost {
            outcome.ending = "lost"
        }
        outcome.code = socket.closeFrame?.code?.rawValue
        outcome.reason = socket.closeFrame?.reason ?? ""
        let url = servers.plainURL(.webSocketFuzz, path + "/outcome")
        let report = try JSONDecoder().decode(Report.self, from: await session.data(from: url).0)
        outcome.sent = report.sent
        outcome.pongs = report.pongs
        #expect(report.fault == nil, "\(path)")
        #expect(report.expected.contains(outcome), "\(path) expected: \(report.expected) bytes: \(report.bytes)")
        return outcome.ending
    }
}
#endif
