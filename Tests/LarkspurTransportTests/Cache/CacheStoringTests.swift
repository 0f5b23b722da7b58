#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Responses that a session stores", .timeLimit(.minutes(5)))
struct CacheStoringTests {
    private static let fresh = ["Cache-Control": "max-age=600", "ETag": "\"a\""]

    @Test(
        "An incomplete response is not stored",
        arguments: [LoopbackServer.Fault.shortBody, .resetInBody, .missingLastChunk, .truncatedGzip]
    )
    func truncated(fault: LoopbackServer.Fault) async throws {
        let lab = try CacheLab()
        lab.server.route("/x", .fault(fault).adding("ETag", "\"a\""), .text("whole"))
        let first = try await lab.get("/x", policy: .returnCacheDataElseLoad)
        #expect(first.outcome.error != nil)
        #expect(try await lab.get("/x", policy: .returnCacheDataElseLoad).text == "whole")
    }

    @Test(
        "The response to a request with no-store changes no stored response (RFC 9111, section 5.2.1.5)",
        arguments: ["GET", "HEAD"]
    )
    func refusedUpdate(method: String) async throws {
        let lab = try CacheLab()
        lab.server.route("/x") { request in
            let isConditional = request.headers["If-None-Match"] != nil
            var response = isConditional ? LoopbackServer.Response.status(304) : .text("text")
            for (name, value) in Self.fresh { response.headers.append(name, value) }
            return request.method == "GET" && !isConditional ? response.adding("Age", "1000") : response
        }
        _ = try await lab.get("/x")

        let answer = try await lab.get("/x", ["Cache-Control": "no-store"], method: method)

        #expect(answer.status == 200 && answer.source == (method == "GET" ? "validated" : "network"))
        #expect(try await lab.get("/x", ["Cache-Control": "only-if-cached"]).status == 504)
        // Without the directive, the same answer makes it fresh.
        _ = try await lab.get("/x", method: method)
        #expect(try await lab.get("/x", ["Cache-Control": "only-if-cached"]).status == 200)
    }

    @Test(
        "A response whose end is ambiguous is not stored",
        arguments: [
            ("HTTP/1.1", "Transfer-Encoding: chunked, chunked"),
            ("HTTP/1.1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
            ("HTTP/1.1", "Transfer-Encoding: chunked\r\nContent-Length: 9"), ("HTTP/1.0", "Transfer-Encoding: chunked"),
        ]
    )
    func doubtful(version: String, fields: String) async throws {
        let lab = try CacheLab()
        let head = "\(version) 200 OK\r\nCache-Control: max-age=600\r\n\(fields)\r\n\r\n"
        lab.server.route("/x", .raw([.text(head + "5\r\nfirst\r\n0\r\n\r\n")]), .text("second"))
        #expect(try await lab.get("/x").text == "first")
        #expect(try await lab.get("/x", policy: .returnCacheDataElseLoad).text == "second")
    }

    @Test("A cancelled response is not stored")
    func cancelled() async throws {
        let lab = try CacheLab()
        let gate = LoopbackServer.Gate()
        lab.server.route(
            "/x",
            .stream([.bytes(Data("half".utf8)), .wait(gate), .bytes(Data("half".utf8))])
                .adding("Cache-Control", "max-age=600"),
            .text("second")
        )
        let log = DelegateLog(.with { $0.data = { task, _ in task.cancel() } })
        let session = lab.makeSession(log)
        _ = try await log.outcome(of: session.dataTask(with: lab.server.url("/x")))
        gate.open()
        #expect(try await lab.get("/x").text == "second")
    }

    @Test("A response is not stored if the delegate releases the handler without a call")
    func unanswered() async throws {
        let lab = try CacheLab()
        lab.server.route("/x", .text("first").adding("Cache-Control", "max-age=600"), .text("second"))
        let delegate = ReleasingDelegate()
        let task = lab.makeSession(delegate).dataTask(with: lab.server.url("/x"))
        task.resume()
        try await eventually(.completed) { task.state }
        #expect(delegate.questions.values == ["cache"])
        #expect(try await lab.get("/x").text == "second")
    }

    @Test(
        "Content that is larger than a twentieth of the capacity is delivered and not stored",
        arguments: [true, false]
    )
    func large(hasLength: Bool) async throws {
        let lab = try CacheLab(HTTPCache(memoryCapacity: 20_000))
        let content = Data(count: 1001)
        let response: LoopbackServer.Response = hasLength ? .data(content) : .chunked([content])
        lab.server.route("/x", response.adding("Cache-Control", "max-age=600"))
        for _ in 0..<2 {
            let reply = try await lab.get("/x")
            #expect(reply.source == "network")
            #expect(reply.outcome.data?.count == 1001)
        }
    }

    // MARK: willCacheResponse

    /// Answers as a test says what may be stored.
    private final class Gatekeeper: NSObject, URLSessionDataDelegate {
        typealias Answer = @Sendable (CachedURLResponse, @escaping @Sendable (CachedURLResponse?) -> Void) -> Void

        let calls = Recorder<String>()
        private let answer: Answer

        init(_ answer: @escaping Answer) { self.answer = answer }

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            willCacheResponse proposedResponse: CachedURLResponse,
            completionHandler: @Sendable @escaping (CachedURLResponse?) -> Void
        ) {
            calls.record("will cache \(String(decoding: proposedResponse.data, as: UTF8.self))")
            answer(proposedResponse, completionHandler)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            calls.record("completed")
        }
    }

    enum Verdict: String, CaseIterable, Sendable {
        case asProposed, changed, refused, notAllowed, never
    }

    @Test(
        "The delegate is asked before the task completes, and the response that it returns is stored",
        arguments: Verdict.allCases
    )
    func willCache(verdict: Verdict) async throws {
        let lab = try CacheLab()
        lab.route("/x", Self.fresh)
        let keeper = Gatekeeper { proposed, answer in
            switch verdict {
            case .asProposed: answer(proposed)
            case .changed:
                answer(CachedURLResponse(response: proposed.response, data: Data("changed".utf8)))
            case .refused: answer(nil)
            case .notAllowed:
                answer(
                    CachedURLResponse(response: proposed.response, data: proposed.data, storagePolicy: .notAllowed)
                )
            case .never: break
            }
        }
        let session = lab.makeSession(keeper)
        session.dataTask(with: lab.server.url("/x")).resume()
        #expect(try await keeper.calls.wait(for: 2) == ["will cache 1", "completed"])
        let expected: [Verdict: String] = [.asProposed: "1", .changed: "changed"]
        #expect(try await lab.get("/x").text == expected[verdict] ?? "2")
    }

    @Test("A response without freshness and validator is proposed, and serves policies that take any response")
    func nothingSaid() async throws {
        let lab = try CacheLab()
        lab.route("/x", [:])
        lab.route("/missing", [:], status: 404)
        let keeper = Gatekeeper { $1($0) }
        let session = lab.makeSession(keeper)
        session.dataTask(with: lab.server.url("/x")).resume()
        #expect(try await keeper.calls.wait(for: 2) == ["will cache 1", "completed"])
        session.dataTask(with: lab.server.url("/missing")).resume()
        #expect(try await keeper.calls.wait(for: 3).last == "completed")
        let cached = try await lab.get("/x", policy: .returnCacheDataDontLoad)
        #expect(cached.text == "1")
        #expect(cached.source == "cache")
        #expect(try await lab.get("/x").source == "network")
        #expect(
            try await lab.get("/missing", policy: .returnCacheDataDontLoad).outcome.code == .resourceUnavailable
        )
    }

    @Test("The user info that a delegate adds is stored", arguments: ["own", "plain", "foreign"])
    func userInfo(kind: String) async throws {
        final class ForeignCache: URLCache, @unchecked Sendable {}
        let cache: URLCache =
            switch kind {
            case "own": HTTPCache()
            case "plain": URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
            default: ForeignCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
            }
        let lab = try CacheLab(cache)
        lab.route("/x", Self.fresh, notModified: ["ETag": "\"a\"", "Cache-Control": "max-age=600"])
        let keeper = Gatekeeper { proposed, answer in
            let info: [AnyHashable: Any] = ["note": "mine", "count": 7]
            answer(
                CachedURLResponse(
                    response: proposed.response,
                    data: proposed.data,
                    userInfo: info,
                    storagePolicy: .allowed
                )
            )
        }
        let session = lab.makeSession(keeper)
        session.dataTask(with: lab.server.url("/x")).resume()
        try await keeper.calls.wait(for: 2)
        let request = URLRequest(url: lab.server.url("/x"))
        try await eventually { cache.cachedResponse(for: request) != nil }
        // What the server says again is the same response.
        for policy in [URLRequest.CachePolicy.useProtocolCachePolicy, .reloadRevalidatingCacheData] {
            _ = try await lab.get("/x", policy: policy)
            try await eventually { cache.cachedResponse(for: request) != nil }
            let kept = try #require(cache.cachedResponse(for: request)?.userInfo)
            #expect(kept["note"] as? String == "mine")
            #expect(kept["count"] as? Int == 7)
        }
    }

    @Test("A hit and a response that must not be stored are not proposed to the delegate")
    func notAsked() async throws {
        let lab = try CacheLab()
        lab.route("/x", Self.fresh)
        lab.route("/y", ["Cache-Control": "no-store"])
        _ = try await lab.get("/x")
        let keeper = Gatekeeper { $1($0) }
        let session = lab.makeSession(keeper)
        for path in ["/x", "/y"] { session.dataTask(with: lab.server.url(path)).resume() }
        #expect(try await keeper.calls.wait(for: 2) == ["completed", "completed"])
    }

    @Test("A response that the delegate returns late is stored, and the task does not wait for it")
    func lateAnswer() async throws {
        let lab = try CacheLab()
        lab.route("/x", Self.fresh)
        let held = Recorder<@Sendable () -> Void>()
        let keeper = Gatekeeper { proposed, answer in held.record { answer(proposed) } }
        let session = lab.makeSession(keeper)
        session.dataTask(with: lab.server.url("/x")).resume()
        session.finishTasksAndInvalidate()
        #expect(try await keeper.calls.wait(for: 2).last == "completed")
        #expect(try await lab.get("/x", policy: .returnCacheDataDontLoad).outcome.code == .resourceUnavailable)
        try await held.first()()
        #expect(try await lab.get("/x").source == "cache")
    }
}
#endif
