#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import TestSupport
import Testing

@testable import Larkspur

/// Small responses to produced content that is still sent while they arrive, read in a scope. Some connections stay
/// open, and others are closed.
///
/// `LARKSPUR_GENERATED_CASES` is the number of calls, over each version of HTTP.
@Suite("Generated uploads in scopes", .seeded, .timeLimit(.minutes(30)))
struct ScopedUploadTests {
    private let count = ProcessInfo.processInfo.environment["LARKSPUR_GENERATED_CASES"].flatMap { Int($0) } ?? 200

    @Test("Over HTTP/1.1, content that ends in a scope without an error is complete")
    func http1() async throws {
        let server = try ScopedUploadServer()
        try await perform("HTTP/1.1", .init()) { URL(string: "http://127.0.0.1:\(server.port)\($0.target)") }
        withExtendedLifetime(server) {}
    }

    @Test("Over HTTP/2, content that ends in a scope without an error is complete")
    func http2() async throws {
        guard let server = try CrossingServers().http2 else { return }
        var options = CurlURLSession.Options()
        options.http2 = .always
        options.tls.trustedRoots = .only([server.authority])
        try await perform("HTTP/2", options) { URL(string: "https://localhost:\(server.port)\($0.play)") }
    }

    private enum End: Hashable {
        case whole
        /// The call failed after all of the content, or before that.
        case failedAfterContent, failed
        case problem(String)
    }

    private func perform(
        _ version: String,
        _ options: CurlURLSession.Options,
        _ makeURL: @escaping @Sendable (ScopedUpload) -> URL?
    ) async throws {
        let isShared = options.http2 == .always
        var ends: [End: Int] = [:]
        var wasBroken = false
        var manager = SessionManager(configuration: .testing, transport: .curl(options))
        for first in stride(from: 0, to: count, by: 8) {
            // Now and then all connections are new.
            if first % 64 == 0 { manager = SessionManager(configuration: .testing, transport: .curl(options)) }
            manager.reportsUnhandledFailures = false
            let uploads = (first..<min(first + 8, count)).map { ScopedUpload(seed: TestSeed.value &+ UInt64($0)) }
            // Over HTTP/2 the calls share a connection, which may end while the next ones begin.
            let breaks = uploads.contains(where: \.mayFail)
            let mayFail = exchange(&wasBroken, with: breaks) && isShared || breaks && isShared
            await withTaskGroup(of: End.self) { [manager] group in
                for upload in uploads {
                    group.addTask { await end(of: upload, makeURL(upload), manager, mayFail: mayFail) }
                }
                for await end in group { ends[end, default: 0] += 1 }
            }
            let problems = ends.keys.compactMap { if case .problem(let text) = $0 { text } else { nil } }
            guard problems.isEmpty else {
                Issue.record("\(version), calls from \(first): \(problems)")
                break
            }
        }
        guard ProcessInfo.processInfo.environment["LARKSPUR_GENERATED_CASES"] != nil else { return }
        let libcurl = CurlURLSession.libcurlVersion ?? "none"
        print("scoped uploads over \(version): \(ends), seed \(TestSeed.value), libcurl \(libcurl)")
    }

    private func end(of upload: ScopedUpload, _ url: URL?, _ manager: SessionManager, mayFail: Bool) async -> End {
        guard let url else { return .problem("\(upload): no URL") }
        var received = 0
        var hasEnded = false
        do {
            try await manager.post(url, body: upload.requestBody).open { head, content in
                guard head.statusCode == 200 else { return }
                for try await chunk in content { received += chunk.count }
                hasEnded = true
            }
            guard hasEnded else { return .problem("\(upload): another status") }
            return received == upload.length ? .whole : .problem("\(upload): a success with \(received) bytes")
        } catch {
            if hasEnded, received != upload.length { return .problem("\(upload): an end after \(received) bytes") }
            if hasEnded { return .failedAfterContent }
            return mayFail || upload.mayFail ? .failed : .problem("\(upload): \(error)")
        }
    }
}
#endif
