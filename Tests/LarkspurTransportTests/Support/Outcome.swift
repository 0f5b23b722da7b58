#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

/// How a task ended.
struct Outcome: Sendable {
    var data: Data?
    var response: URLResponse?
    var error: (any Error)?

    var status: Int? { (response as? HTTPURLResponse)?.statusCode }
    var code: URLError.Code? { (error as? URLError)?.code }
    var text: String? { data.map { String(decoding: $0, as: UTF8.self) } }

    func field(_ name: String) -> String? { (response as? HTTPURLResponse)?.value(forHTTPHeaderField: name) }
}

/// The ways in which programs use tasks.
enum Style: String, CaseIterable, Sendable {
    case handler, delegate, download, downloadDelegate, awaited

    /// Sends a request with a session of its own, and waits for the end.
    func send(_ request: URLRequest, configuration: URLSessionConfiguration = .testing) async throws -> Outcome {
        let log = DelegateLog()
        let usesDelegate = self == .delegate || self == .downloadDelegate
        let session = CurlURLSession(
            configuration: configuration,
            delegate: usesDelegate ? log : nil,
            delegateQueue: nil
        )
        defer { session.finishTasksAndInvalidate() }
        switch self {
        case .handler: return try await session.outcome(of: request)
        case .awaited:
            do {
                let (data, response) = try await session.data(for: request)
                return Outcome(data: data, response: response)
            } catch {
                return Outcome(error: error)
            }
        case .download:
            let outcomes = Recorder<Outcome>()
            session.downloadTask(with: request) { file, response, error in
                outcomes.record(
                    Outcome(data: file.flatMap { try? Data(contentsOf: $0) }, response: response, error: error)
                )
            }.resume()
            return try await outcomes.first()
        case .delegate: return try await log.outcome(of: session.dataTask(with: request))
        case .downloadDelegate: return try await log.outcome(of: session.downloadTask(with: request))
        }
    }
}

extension URLSession {
    /// The outcome of a task with a completion handler.
    func outcome(of request: URLRequest) async throws -> Outcome {
        let outcomes = Recorder<Outcome>()
        dataTask(with: request) { outcomes.record(Outcome(data: $0, response: $1, error: $2)) }.resume()
        return try await outcomes.first()
    }

    func outcome(of url: URL) async throws -> Outcome { try await outcome(of: URLRequest(url: url)) }
}

/// Lets so much time pass, by a request to a server that does not answer within it.
func passTime(_ seconds: TimeInterval, by server: LoopbackServer) async throws {
    let session = CurlURLSession(configuration: .testing)
    defer { session.invalidateAndCancel() }
    let outcome = try await session.outcome(of: URLRequest(server.url("/fault/no-response"), "GET", timeout: seconds))
    #expect(outcome.code == .timedOut)
}
#endif
