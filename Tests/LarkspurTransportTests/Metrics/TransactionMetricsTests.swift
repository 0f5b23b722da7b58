#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Metrics of transfers", .timeLimit(.minutes(5)))
struct TransactionMetricsTests {
    let server: LoopbackServer
    let log = DelegateLog()
    let session: CurlURLSession

    init() throws {
        server = try LoopbackServer()
        session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
    }

    @Test("Sources and cache uses are printed by their names")
    func names() {
        let sources: [TransactionMetrics.Source] = [.network, .cache, .validatedCache]
        #expect(sources.map { "\($0)" } == ["network", "cache", "validatedCache"])
        let uses: [TransactionMetrics.CacheUse] = [
            .absent, .bypassed, .unverifiable, .fresh, .stale, .revalidatedLater, .validated, .replaced, .fallback,
        ]
        let names = "absent bypassed unverifiable fresh stale revalidatedLater validated replaced fallback"
        #expect(uses.map { "\($0)" }.joined(separator: " ") == names)
    }

    @Test("Every redirect is a separate transfer on the reused connection")
    func redirects() async throws {
        let task = session.dataTask(with: server.url("/redirect/2"))
        _ = try await log.outcome(of: task)
        let metrics = task.transactionMetrics
        #expect(metrics.map { $0.request.url?.path } == ["/redirect/2", "/relative-redirect/1", "/get"])
        #expect(metrics.map { $0.response?.statusCode } == [302, 302, 200])
        #expect(metrics.map(\.isReusedConnection) == [false, true, true])
        #expect(metrics.map { $0.connectEnd == nil } == [false, true, true])
        for transfer in metrics {
            #expect(transfer.protocolName == "http/1.1")
            #expect(transfer.remoteAddress == "127.0.0.1")
            #expect(transfer.remotePort == Int(server.port))
            #expect(transfer.localAddress == "127.0.0.1")
            #expect((transfer.localPort ?? 0) > 0)
            #expect(transfer.secureConnectEnd == nil)
            #expect(transfer.tlsVersion == nil)
            let first = try #require(transfer.responseStart)
            #expect(first <= transfer.responseEnd)
            #expect(try #require(transfer.requestStart) <= first)
        }
        #expect(metrics.map(\.start) == metrics.map(\.start).sorted())
    }

    @Test("The group of the key exchange is reported with TLS, if OpenSSL can report it")
    func group() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only([try TLSCertificate(try #require(server.certificate).der)])
        let session = CurlURLSession(configuration: .ephemeral, options: options)
        defer { session.invalidateAndCancel() }
        let outcomes = Recorder<Outcome>()
        let task = session.dataTask(with: server.url("/get")) {
            outcomes.record(Outcome(data: $0, response: $1, error: $2))
        }
        task.resume()
        _ = try await outcomes.first()
        let metrics = try #require(task.transactionMetrics.first)
        let ability = EngineReport().abilities.first { $0.name.hasPrefix("names of the groups") }
        #expect(metrics.tlsVersion == "TLSv1.3")
        #expect((metrics.tlsKeyExchangeGroup?.isEmpty == false) == ability?.isAvailable)
    }

    @Test("Bytes are counted in both directions")
    func sizes() async throws {
        let content = Data(count: 200_000)
        server.route("/sizes", .data(Data(count: 5000)))
        let task = session.uploadTask(with: URLRequest(server.url("/sizes"), "POST"), from: content)
        _ = try await log.outcome(of: task)
        let transfer = try #require(task.transactionMetrics.first)
        #expect(task.transactionMetrics.count == 1)
        #expect(transfer.requestBodyBytes == 200_000)
        #expect(transfer.responseBodyBytes == 5000)
        #expect(transfer.responseBodyBytesDecoded == 5000)
        #expect(transfer.requestHeaderBytes > 20 && transfer.requestHeaderBytes < 1000)
        #expect(transfer.responseHeaderBytes > 20 && transfer.responseHeaderBytes < 1000)
    }

    @Test(
        "The bytes of a request's head are counted without its content, of known or unknown length",
        arguments: [10, 60_000, 65_536, 65_537, 200_000],
        [true, false]
    )
    func headBytes(length: Int, isKnown: Bool) async throws {
        let heads = Recorder<Int>()
        let server = try RawServer { connection in
            let received = connection.readHead()
            let head = received.range(of: Data("\r\n\r\n".utf8))?.upperBound ?? 0
            heads.record(head)
            connection.read(atLeast: length - (received.count - head))
            connection.write("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        }
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let log = DelegateLog(.with { $0.stream = { $1(InputStream(data: Data(count: length))) } })
        let request = URLRequest(server.url, "POST")
        let task =
            isKnown
            ? session.uploadTask(with: request, from: Data(count: length))
            : session.uploadTask(withStreamedRequest: request)
        task.delegate = log
        let outcome = try await log.outcome(of: task)
        #expect(outcome.status == 204, "\(String(describing: outcome.error))")
        #expect(try await heads.first() == Int(task.transactionMetrics.first?.requestHeaderBytes ?? 0))
    }

    @Test("A challenge leads to two transfers")
    func challenge() async throws {
        let log = DelegateLog(
            .with {
                $0.challenge = { _ in (.useCredential, URLCredential(user: "a", password: "b", persistence: .none)) }
            }
        )
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: server.url("/basic-auth/a/b"))
        _ = try await log.outcome(of: task)
        #expect(task.transactionMetrics.map { $0.response?.statusCode } == [401, 200])
    }

    @Test("A failed transfer has metrics, and a request that was never sent has none")
    func failures() async throws {
        let failed = session.dataTask(with: server.url("/fault/close-before-header"))
        failed.resume()
        try await log.ends.wait()
        #expect(failed.transactionMetrics.last?.response == nil)
        #expect(failed.transactionMetrics.isEmpty == false)
        var request = URLRequest(url: server.url("/get"))
        request.httpMethod = "G T"
        let unsent = session.dataTask(with: request)
        unsent.resume()
        try await log.ends.wait(for: 2)
        #expect(unsent.transactionMetrics.isEmpty)
    }
}
#endif
