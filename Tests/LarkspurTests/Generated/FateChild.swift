#if canImport(FoundationNetworking)
import Foundation
import Synchronization
import TestSupport

@testable import Larkspur

/// The fate of a client with one generated response.
enum Fate: Int, Sendable, CaseIterable {
    case right
    /// An error in place of a response that is right, and that no rule lets a recipient refuse.
    case refusal
    /// An error where there has to be one, but with a code that says nothing of the reason.
    case otherError
    /// A success with another status or other content, or with content that is not whole.
    case wrongSuccess
    /// A success with a field that is missing or has another value.
    case wrongField
    /// The outcome is right, but the next request of the session is not.
    case spoiltSession
    case neverEnds
    case endsProcess

    var title: String {
        switch self {
        case .right: "right"
        case .refusal: "refuses the response"
        case .otherError: "an error whose code is no reason"
        case .wrongSuccess: "wrong or incomplete content, as a success"
        case .wrongField: "a wrong field"
        case .spoiltSession: "next request wrong"
        case .neverEnds: "never ends"
        case .endsProcess: "ends the process"
        }
    }
}

/// The client that a child process runs.
enum FateClient: String, Sendable, CaseIterable {
    case engine, foundation
    /// Clients whose fates are known, to test the observation of the child.
    case abort, hang

    /// A session of the client, which is not invalidated, as that could end the process too.
    func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieStorage = nil
        configuration.timeoutIntervalForRequest = 10
        return self == .engine
            ? CurlURLSession(configuration: configuration) : URLSession(configuration: configuration)
    }

    /// Loads a generated response, and then a usual one.
    func fate(of generated: GeneratedCase, _ server: GeneratedServer, _ session: URLSession) async throws -> Fate {
        switch self {
        case .abort: Foundation.abort()
        case .hang: await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        case .engine, .foundation: break
        }
        server.setScript(generated.script, for: 1)
        var request = URLRequest(url: try server.url("/case/1", isSecure: false))
        request.httpMethod = generated.method
        let ending = await session.ending(of: request, isDownload: generated.way == .download)
        if case .failure("timed-out", _) = ending { return .neverEnds }
        let expected = generated.expectation(.standard)
        let violations = GeneratedRun.violations(of: ending, expected)
        guard violations.isEmpty else {
            guard case .failure = ending else {
                return violations.allSatisfy { $0.hasPrefix("the field") } ? .wrongField : .wrongSuccess
            }
            return expected.failures.isEmpty ? .refusal : .otherError
        }
        let next = await session.ending(
            of: URLRequest(url: try server.url("/next", isSecure: false)),
            isDownload: false
        )
        guard case .complete(let response, let content, _) = next, response?.statusCode == 200,
            content == Data(GeneratedServer.usualContent("/next").utf8)
        else { return .spoiltSession }
        return .right
    }
}

extension URLSession {
    /// Performs a request with a task that has a completion handler.
    fileprivate func ending(of request: URLRequest, isDownload: Bool) async -> GeneratedRun.Ending {
        await withCheckedContinuation { continuation in
            let isFirst = Atomic(true)
            let end = { @Sendable (content: Data?, response: URLResponse?, error: (any Error)?) in
                guard isFirst.exchange(false, ordering: .relaxed) else { return }
                if let error {
                    continuation.resume(returning: .failure(label: Self.label(of: error), message: "\(error)"))
                } else {
                    let response = response as? HTTPURLResponse
                    continuation.resume(returning: .complete(response, content: content ?? Data(), trailers: nil))
                }
            }
            if isDownload {
                downloadTask(with: request) { file, response, error in
                    end(file.flatMap { try? Data(contentsOf: $0) }, response, error)
                }.resume()
            } else {
                dataTask(with: request) { end($0, $1, $2) }.resume()
            }
        }
    }

    /// Returns the label of `LarkspurError` for an error's code alone, without its text.
    private static func label(of error: any Error) -> String {
        switch (error as? URLError)?.code {
        case .networkConnectionLost?: GeneratedResponse.Failure.lost.rawValue
        case .badServerResponse?, .cannotParseResponse?: GeneratedResponse.Failure.malformed.rawValue
        case .cannotDecodeContentData?, .cannotDecodeRawData?: GeneratedResponse.Failure.decoding.rawValue
        case .timedOut?: "timed-out"
        default: "unknown"
        }
    }
}

/// A child process that loads generated responses, one after the other. If a response ends the process, or the child
/// stops reporting, the next child continues with the next response.
struct FateChild {
    /// The variable with the orders of the child: the client, the seed, the number of the first case, and the count.
    static let variable = "LARKSPUR_FATE_CHILD"
    /// The time without a report after which a child is ended. A client's own timeout is shorter.
    private static let limit: Int32 = 60_000

    let client: FateClient
    let seed: UInt64

    // MARK: In the child

    /// Carries out the orders of the environment.
    static func runOrders() async throws {
        let words = (ProcessInfo.processInfo.environment[variable] ?? "").split(separator: " ").map(String.init)
        guard words.count == 4, let client = FateClient(rawValue: words[0]), let seed = UInt64(words[1]),
            let first = UInt64(words[2]), let count = UInt64(words[3])
        else { return }
        let server = try GeneratedServer(hasTLS: false)
        let session = client.makeSession()
        for number in first..<(first + count) {
            report("begins \(number)")
            let generated = FateCase(seed: seed, number: number).generated
            report("ends \(number) \(try await client.fate(of: generated, server, session).rawValue)")
        }
        // The threads of a session may be in any state by now, and the exit has to be in order nevertheless.
        _exit(0)
    }

    private static func report(_ text: String) { TestChild.report(text) }

    // MARK: In the parent

    /// Runs cases in children, and returns their fates in order.
    func fates(count: Int) async throws -> [Fate] {
        var fates: [Fate] = []
        while fates.count < count {
            let first = fates.count
            fates += try await runChild(first: first, count: count - first)
            // A child that cannot even begin would be started forever.
            guard fates.count > first else { throw CocoaError(.executableLoad) }
        }
        return fates
    }

    private func runChild(first: Int, count: Int) async throws -> [Fate] {
        let reports = Recorder<[Substring]>()
        let child = TestChild(
            "FoundationFateTests/child",
            environment: [Self.variable: "\(client) \(seed) \(first) \(count)"],
            limit: Self.limit
        )
        let end = try await child.run { reports.record($0.split(separator: " ")) }
        var fates = reports.values.filter { $0.first == "ends" }.compactMap { $0.last.flatMap { Int($0) } }
            .compactMap(Fate.init)
        // The child has ended with a case, or was ended.
        if reports.values.last?.first == "begins" { fates.append(end == .silence ? .neverEnds : .endsProcess) }
        return fates
    }
}
#endif
