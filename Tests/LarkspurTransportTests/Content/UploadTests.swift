#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import LarkspurTransport
import Testing

/// Content on its way to a server: whole, or an error.
@Suite(.timeLimit(.minutes(5))) struct UploadTests {
    private static let long = Data((0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8)) })

    enum Source: String, CaseIterable, Sendable {
        case data, file, stream

        /// A task that sends content, with a log for its delegate.
        func task(
            _ content: Data,
            to url: URL,
            _ method: String = "PUT",
            in session: URLSession,
            _ log: DelegateLog? = nil
        ) throws -> (URLSessionUploadTask, DelegateLog, TemporaryFile?) {
            let task: URLSessionUploadTask
            var file: TemporaryFile?
            var headers: [String: String] = [:]
            if self == .stream { headers["Content-Length"] = "\(content.count)" }
            let request = URLRequest(url, method, headers: headers)
            switch self {
            case .data: task = session.uploadTask(with: request, from: content)
            case .file:
                let made = try TemporaryFile(content)
                task = session.uploadTask(with: request, fromFile: made.url)
                file = made
            case .stream: task = session.uploadTask(withStreamedRequest: request)
            }
            let log = log ?? DelegateLog(.with { $0.stream = { $1(InputStream(data: content)) } })
            task.delegate = log
            return (task, log, file)
        }
    }

    @Test("Long content is sent after the server has sent 100 Continue", arguments: Source.allCases)
    func expectsContinue(source: Source) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.route("/sink", method: "PUT", .text("taken"))
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let (task, log, file) = try source.task(Self.long, to: server.url("/sink"), in: session)
        let outcome = try await log.outcome(of: task)
        withExtendedLifetime(file) {}
        #expect(outcome.text == "taken")
        #expect(server.requests.map { $0.headers["Expect"] } == ["100-continue"])
        #expect(server.requests.map { $0.body == Self.long } == [true])
        #expect(task.countOfBytesSent == Int64(Self.long.count))
    }

    @Test("Content of up to 1 MiB is sent at once")
    func doesNotAsk() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.route("/sink", method: "PUT", .text("taken"))
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let (task, log, _) = try Source.data.task(Data(count: 1 << 20), to: server.url("/sink"), in: session)
        _ = try await log.outcome(of: task)
        #expect(server.requests.map { $0.headers["Expect"] } == [nil])
    }

    @Test("Content is sent after a time to a server that ignores Expect", arguments: Source.allCases)
    func ignorant(source: Source) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        var sink = LoopbackServer.Response.text("taken")
        sink.requestBody = .readWithoutContinue
        server.route("/sink", method: "PUT", sink)
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let (task, log, file) = try source.task(Self.long, to: server.url("/sink"), in: session)
        #expect(try await log.outcome(of: task).text == "taken")
        withExtendedLifetime(file) {}
        #expect(server.requests.map { $0.body == Self.long } == [true])
    }

    @Test("After a 417 the content is sent without Expect", arguments: Source.allCases)
    func refusedExpectation(source: Source) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        var refusal = LoopbackServer.Response.status(417)
        refusal.requestBody = .refuse
        server.route("/sink", method: "PUT", refusal, .text("taken"))
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let (task, log, file) = try source.task(Self.long, to: server.url("/sink"), in: session)
        let outcome = try await log.outcome(of: task)
        withExtendedLifetime(file) {}
        #expect(outcome.text == "taken")
        #expect(server.requests.map { $0.headers["Expect"] } == ["100-continue", nil])
        #expect(server.requests.last?.body == Self.long)
        // Nothing had been read of it.
        #expect(log.names.filter { $0 == "stream" }.count <= 1)
        #expect(log.names.filter { $0 == "response" }.count == 1)
    }

    @Test("After a 417 to the caller's own Expect field, the request is sent without that field")
    func ownExpectation() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        var refusal = LoopbackServer.Response.status(417)
        refusal.requestBody = .refuse
        server.route("/sink", method: "POST", refusal, .text("taken"), .text("again"))
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let request = URLRequest(
            server.url("/sink"),
            "POST",
            body: Data("short".utf8),
            headers: ["Expect": "100-continue"]
        )
        #expect(try await session.outcome(of: request).text == "taken")
        #expect(server.requests.map { $0.headers["Expect"] } == ["100-continue", nil])
        #expect(server.requests.last?.body == Data("short".utf8))
    }

    @Test("A 417 to a request without Expect is a response")
    func plain417() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.route("/sink", method: "PUT", .status(417))
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let (task, log, _) = try Source.data.task(Data("short".utf8), to: server.url("/sink"), in: session)
        #expect(try await log.outcome(of: task).status == 417)
        #expect(server.requests.count == 1)
    }

    @Test("A response is delivered if it comes before the content is sent", arguments: Source.allCases)
    func earlyAnswer(source: Source) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        var refusal = LoopbackServer.Response.text("too much", status: 413)
        refusal.requestBody = .refuse
        server.route("/sink", method: "PUT", refusal)
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let (task, log, file) = try source.task(Self.long, to: server.url("/sink"), in: session)
        let outcome = try await log.outcome(of: task)
        withExtendedLifetime(file) {}
        #expect(outcome.status == 413)
        #expect(outcome.text == "too much")
        #expect(task.countOfBytesSent < Int64(Self.long.count))
    }

    @Test("A response is delivered if it comes while the content is sent", arguments: Source.allCases)
    func answerInTheMiddle(source: Source) async throws {
        let server = try RawServer { connection in
            _ = connection.read(atLeast: 200_000)
            connection.write("HTTP/1.1 403 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
        }
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        // Short enough not to be asked for, and longer than what waits in sockets.
        let (task, log, file) = try source.task(Data(count: 1 << 20), to: server.url, in: session)
        let outcome = try await log.outcome(of: task)
        withExtendedLifetime(file) {}
        #expect(outcome.status == 403)
    }

    @Test("A file that changes during an upload is an error")
    func changingFile() async throws {
        for change in ["shorten", "rewrite", "lengthen"] {
            let server = try LoopbackServer()
            defer { server.stop() }
            server.route("/sink", method: "PUT", .text("taken"))
            let session = CurlURLSession(configuration: .testing)
            defer { session.invalidateAndCancel() }
            let file = try TemporaryFile(Data(count: 64 << 20))
            let task = session.uploadTask(with: URLRequest(server.url("/sink"), "PUT"), fromFile: file.url)
            let changed = Recorder<Bool>()
            let log = DelegateLog(
                .with {
                    $0.sent = { _ in
                        guard changed.values.isEmpty else { return }
                        changed.record(true)
                        file.change(change)
                    }
                }
            )
            task.delegate = log
            let outcome = try await log.outcome(of: task)
            #expect(outcome.code == .requestBodyStreamExhausted, "\(change)")
            #expect(server.requests.isEmpty, "\(change): the server must not take it for whole")
        }
    }

    @Test("A file that cannot be read is an error, and nothing is sent")
    func unreadable() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let folder = FileManager.default.temporaryDirectory
        let missing = folder.appendingPathComponent("missing-\(UUID().uuidString)")
        // Nobody writes to it.
        let pipe = folder.appendingPathComponent("pipe-\(UUID().uuidString)")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        defer { unlink(pipe.path) }
        for (url, code) in [
            (missing, URLError.Code.fileDoesNotExist), (folder, .fileIsDirectory), (server.url("/"), .fileDoesNotExist),
            (pipe, .fileIsDirectory),
        ] {
            let task = session.uploadTask(with: URLRequest(server.url("/put"), "PUT"), fromFile: url)
            let log = DelegateLog()
            task.delegate = log
            #expect(try await log.outcome(of: task).code == code)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("Content is sent again if a reused connection turns out to be closed", arguments: Source.allCases)
    func deadConnection(source: Source) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.route("/sink", method: "PUT", .raw([], ending: .reset), .text("taken"))
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: server.url("/get")).status == 200)
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        let (task, log, file) = try source.task(content, to: server.url("/sink"), in: session)
        let outcome = try await log.outcome(of: task)
        withExtendedLifetime(file) {}
        #expect(outcome.text == "taken", "\(String(describing: outcome.error))")
        #expect(server.requests.map { $0.connection == 1 } == [true, true, false])
        #expect(server.requests.last?.body == content)
    }

    @Test(
        "If a reused connection is lost, another stream is requested for idempotent methods only",
        arguments: ["PUT", "POST"],
        [1_000, 1_000_000]
    )
    func lostStream(method: String, count: Int) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.route("/sink", method: method, .raw([], ending: .reset), .text("taken"))
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: server.url("/get")).status == 200)
        let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        let (task, log, _) = try Source.stream.task(content, to: server.url("/sink"), method, in: session)
        let outcome = try await log.outcome(of: task)
        let isRepeated = method == "PUT"
        #expect(outcome.text == (isRepeated ? "taken" : ""))
        #expect((outcome.error == nil) == isRepeated, "\(String(describing: outcome.error))")
        #expect(server.requests(to: "/sink").count == (isRepeated ? 2 : 1))
        if isRepeated { #expect(server.requests.last?.body == content) }
    }

    @Test(
        "A stream of another length than its request states is an error, and no more than that length is sent",
        arguments: [4, 6, 200_000],
        ["5", " 5", "5, 5"]
    )
    func wrongStreamLength(_ count: Int, field: String) async throws {
        let received = Recorder<Data>()
        let server = try RawServer { connection in received.record(connection.read(atLeast: .max)) }
        defer { server.stop() }
        let configuration = URLSessionConfiguration.testing
        configuration.httpAdditionalHeaders = ["Content-Length": field]
        let session = CurlURLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }
        let log = DelegateLog(
            .with { $0.stream = { $1(InputStream(data: Data(repeating: UInt8(ascii: "x"), count: count))) } }
        )
        let fields = field == "5" ? [:] : ["Content-Length": field]
        let task = session.uploadTask(withStreamedRequest: URLRequest(server.url, "PUT", headers: fields))
        task.delegate = log
        #expect(try await log.outcome(of: task).code == .requestBodyStreamExhausted)
        let sent = try await received.first()
        // libcurl 8 sends nothing where it hears of the failure before it has sent the head.
        if !sent.isEmpty {
            let head = try #require(sent.range(of: Data("\r\n\r\n".utf8)))
            #expect(sent.count - head.upperBound < 5)
        }
    }

    @Test("If a stream has to be sent again and the delegate provides none, the task fails")
    func noSecondStream() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let asked = Recorder<Bool>()
        let log = DelegateLog(
            .with {
                $0.stream = { _, answer in
                    asked.record(true)
                    answer(asked.values.count == 1 ? InputStream(data: Data("first".utf8)) : nil)
                }
            }
        )
        let request = URLRequest(server.url("/redirect-to?url=/anything&status_code=307"), "POST")
        let task = session.uploadTask(withStreamedRequest: request)
        task.delegate = log
        let outcome = try await log.outcome(of: task)
        #expect(outcome.code == .requestBodyStreamExhausted)
        #expect(asked.values.count == 2)
    }

    @Test("A task fails if the delegate releases the handler for a stream without a call")
    func unansweredStream() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let delegate = ReleasingDelegate()
        let session = CurlURLSession(configuration: .testing, delegate: delegate, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let task = session.uploadTask(withStreamedRequest: URLRequest(server.url("/anything"), "POST"))
        task.resume()
        try await eventually(.completed) { task.state }
        #expect((task.error as? URLError)?.code == .requestBodyStreamExhausted)
        #expect(delegate.questions.values == ["stream"])
        #expect(server.requests.isEmpty)
    }

    @Test("A request with a stream that is already closed fails")
    func closedStream() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        var request = URLRequest(server.url("/anything"), "POST")
        request.httpBodyStream = InputStream(data: Data("once".utf8))
        request.httpBodyStream?.open()
        request.httpBodyStream?.close()
        let task = session.dataTask(with: request)
        let log = DelegateLog()
        task.delegate = log
        let outcome = try await log.outcome(of: task)
        #expect(outcome.code == .requestBodyStreamExhausted)
    }

    @Test(
        "The progress of an upload rises to the whole length, and each report has the expected length",
        arguments: Source.allCases
    )
    func progress(source: Source) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.route("/sink", method: "PUT", .text("taken"))
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let (task, log, file) = try source.task(Self.long, to: server.url("/sink"), in: session)
        _ = try await log.outcome(of: task)
        withExtendedLifetime(file) {}
        let reports: [(Int64, Int64, Int64)] = log.events.values.compactMap { event in
            if case .sent(let count, let total, let expected) = event { (count, total, expected) } else { nil }
        }
        #expect(reports.map(\.0).reduce(0, +) == Int64(Self.long.count))
        #expect(reports.map(\.1) == reports.map(\.1).sorted())
        #expect(reports.last?.1 == Int64(Self.long.count))
        #expect(reports.allSatisfy { $0.2 == Int64(Self.long.count) })
    }
}
#endif
