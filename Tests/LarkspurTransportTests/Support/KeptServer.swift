#if canImport(FoundationNetworking)
import Foundation
import Synchronization

/// A server whose first connection does what a test says once it has answered a request, and whose others answer every
/// request.
final class KeptServer: Sendable {
    /// A request as its connection's number and its first line.
    struct Entry: Equatable, Sendable {
        let connection: Int
        let line: String
    }

    static let kept = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nkept"
    static let fresh = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfresh"

    private let server: RawServer
    let requests: Recorder<Entry>
    /// The steps that the first connection has taken.
    let steps: Recorder<Void>
    private let turns: DispatchSemaphore

    var url: URL { server.url }

    /// - Parameters:
    ///   - first: The first connection's answer to its first request.
    ///   - next: The step that it takes when it is told to, once or more; false closes it.
    init(first: String = KeptServer.kept, next: @escaping @Sendable (RawServer.Connection, KeptServer.Log) -> Bool)
        throws
    {
        let count = Mutex(0)
        let requests = Recorder<Entry>()
        let steps = Recorder<Void>()
        let turns = DispatchSemaphore(value: 0)
        (self.requests, self.steps, self.turns) = (requests, steps, turns)
        server = try RawServer { connection in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            let log = Log(connection: number, requests: requests)
            guard log.readRequest(connection) else { return }
            connection.write(number == 0 ? first : Self.fresh)
            if number > 0 {
                while log.readRequest(connection) { connection.write(Self.fresh) }
                return
            }
            while true {
                turns.wait()
                let goesOn = next(connection, log)
                steps.record(())
                if !goesOn { return }
            }
        }
    }

    /// Has the first connection take a step, and does not wait for it.
    func begin() { turns.signal() }

    /// Has the first connection take a step.
    func step() async throws {
        let count = steps.values.count
        turns.signal()
        try await steps.wait(for: count + 1)
    }

    /// Notes the requests of one connection.
    struct Log: Sendable {
        fileprivate let connection: Int
        fileprivate let requests: Recorder<Entry>

        /// Reads a request; false at the end.
        func readRequest(_ connection: RawServer.Connection) -> Bool {
            let text = String(decoding: connection.readRequest().prefix(1000), as: UTF8.self)
            guard let line = text.split(separator: "\r\n").first else { return false }
            requests.record(Entry(connection: self.connection, line: String(line)))
            return true
        }
    }
}
#endif
