import HTTPSyntax
import LarkspurTransport
import Synchronization
import Testing

@testable import Larkspur

/// The delegate of a transfer, which the test calls in place of a session.
@Suite("Task delegates", .timeLimit(.minutes(2)))
struct TaskDelegateTests {
    /// A delegate with the parts around it.
    final class Performance<Kind: SessionTask> {
        let lone: LoneTask
        let transfer: FakeTransfer
        let session: SessionDelegate
        let task: Kind
        let delegate: TaskDelegate
        let results = Recorder<TransferResult>()

        init(
            _ request: URLRequest,
            _ template: TransferTemplate,
            adapter: any TransportAdapter = StandardTransportAdapter(),
            maximumContentSize: Int = 1 << 20
        ) {
            lone = LoneTask(maximumContentSize: maximumContentSize)
            transfer = FakeTransfer(request)
            session = SessionDelegate(hooks: lone.hooks) { _, _ in }
            task = lone.makeTask(CallPlan(template: template, request: .success(request)), transfer)
            let results = results
            delegate = TaskDelegate(
                task: task,
                template,
                in: session,
                adapter,
                ending: .attempt { result, _ in results.record(result) }
            )
            task.resume()
        }

        /// The result of the only end.
        func end(with error: (any Error)? = nil) throws -> TransferResult {
            delegate.end(with: error)
            #expect(results.values.count == 1)
            return try #require(results.values.first)
        }

        func receive(_ text: String) { delegate.receive(Data(text.utf8)) { nil } }

        /// Waits for the hooks that were called so far.
        func waitForHooks() { lone.hooks.queue.sync {} }
    }

    let url: URL

    init() throws { url = try #require(URL(string: "http://origin.test/path")) }

    func makeData(
        adapter: any TransportAdapter = StandardTransportAdapter(),
        maximumContentSize: Int = 1 << 20
    ) -> Performance<DataTask> {
        Performance(URLRequest(url: url), .data, adapter: adapter, maximumContentSize: maximumContentSize)
    }

    func makeResponse(_ status: Int = 200, _ fields: [String: String] = [:]) throws -> HTTPURLResponse {
        try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields))
    }

    /// The value of an answer that is given at once; nil if other code gives it.
    func now<Value>(_ answer: TransferAnswer<Value>) -> Value? {
        if case .now(let value) = answer { value } else { nil }
    }

    /// Waits for the value of an answer.
    func value<Value: Sendable>(_ answer: TransferAnswer<Value>) async throws -> Value {
        let values = Recorder<Value>()
        answer.give { values.record($0) }
        return try await values.first()
    }

    /// The answers to a question of a session, which takes the release of the completion for the default answer.
    final class Answers<Value: Sendable> {
        private final class Question: Sendable {
            let values = Recorder<Value>()
        }

        private weak var question: Question?

        func ask(_ answer: TransferAnswer<Value>) {
            let question = Question()
            self.question = question
            answer.give { question.values.record($0) }
        }

        /// Whether the completion is still held, and may be called.
        var isOpen: Bool { question != nil }
        /// Whether no answer was given while the completion was held.
        var isEmpty: Bool { question?.values.values.isEmpty ?? false }
    }

    // MARK: The registry

    @Test("A delegate is in the registry of its session until the transfer has ended")
    func registry() throws {
        let call = makeData()
        #expect(call.session.registry.delegate(for: 7) == nil)
        call.delegate.register(as: 7)
        #expect(call.session.registry.delegate(for: 7) === call.delegate)
        #expect(call.session.registry.tasks.first === call.task)
        _ = try call.end()
        #expect(call.session.registry.delegate(for: 7) == nil)
    }

    // MARK: Response and content

    @Test("Content is collected in order, and delivered with its response")
    func content() throws {
        let call = makeData()
        let response = try makeResponse()
        #expect(now(call.delegate.receive(ReceivedResponse(response))) == .allow)
        for text in ["one", " two"] { call.receive(text) }
        let result = try call.end()
        #expect(result.data == Data("one two".utf8))
        #expect(result.response === response)
        #expect(result.error == nil)
        #expect(call.task.timeline.responseReceived != nil)
    }

    @Test("A new response replaces the earlier response and its content")
    func replacedResponse() throws {
        let call = makeData()
        _ = call.delegate.receive(ReceivedResponse(try makeResponse(401)))
        call.receive("refused")
        _ = call.delegate.receive(ReceivedResponse(try makeResponse(200)))
        call.receive("content")
        let result = try call.end()
        #expect(result.received?.statusCode == 200)
        #expect(result.data == Data("content".utf8))
    }

    @Test("A transfer ends once, and later events have no effect")
    func oneEnd() throws {
        let call = makeData()
        _ = try call.end()
        call.delegate.end(with: URLError(.timedOut))
        call.delegate.fail(with: LarkspurError(.timedOut, "Late."))
        #expect(call.results.values.count == 1)
        #expect(call.task.state == .running)
    }

    @Test("Content that arrives after a cancellation is dropped")
    func cancelledContent() throws {
        let call = makeData()
        call.receive("one")
        call.task.cancel()
        call.receive("two")
        let result = try call.end(with: URLError(.cancelled))
        #expect(result.data == Data("one".utf8))
        #expect(result.error?.code == .cancelled)
    }

    @Test("Content may have the maximum size of the session manager, and no byte more", arguments: [true, false])
    func contentLimit(isTooLarge: Bool) throws {
        let call = makeData(maximumContentSize: 5)
        call.receive("12345")
        if isTooLarge { call.receive("6") }
        #expect(call.task.state == (isTooLarge ? .canceling : .running))
        let result = try call.end(with: isTooLarge ? URLError(.cancelled) : nil)
        #expect(result.error?.code == (isTooLarge ? .contentTooLarge : nil))
        #expect(result.data == Data("12345".utf8))
    }

    @Test("Content waits while a hook consumes it")
    func heldContent() {
        for hasHook in [true, false] {
            let call = makeData()
            let chunks = Recorder<Data>()
            if hasHook { call.task.hooks.didReceiveData = { _, data in chunks.record(data) } }
            var holds = 0
            call.delegate.receive(Data("content".utf8)) {
                holds += 1
                return nil
            }
            call.waitForHooks()
            #expect(holds == (hasHook ? 1 : 0))
            #expect(chunks.values == (hasHook ? [Data("content".utf8)] : []))
        }
    }

    // MARK: Dispositions

    @Test(
        "A hook decides what happens to the content of a response, if the transport allows that",
        arguments: [.allow, .cancel, .download] as [URLSession.ResponseDisposition],
        [true, false]
    )
    func disposition(_ disposition: URLSession.ResponseDisposition, canBecomeDownload: Bool) async throws {
        let call = makeData(adapter: LimitedAdapter(canBecomeDownload: canBecomeDownload))
        call.task.hooks.responseDisposition = { _, _ in disposition }
        let answer = try await value(call.delegate.receive(ReceivedResponse(try makeResponse())))
        #expect(answer == (disposition == .download && !canBecomeDownload ? .allow : disposition))
        #expect(call.task.state == (disposition == .cancel ? .canceling : .running))
    }

    // MARK: Sent content

    @Test(
        "The progress of a request has the length from the transport, else from the Content-Length field",
        arguments: [(100, 100), (-1, 60), (0, 60)] as [(Int64, Int64)]
    )
    func sentContent(expected: Int64, total: Int64) {
        var request = URLRequest(url: url)
        request.setValue("60", forHTTPHeaderField: "Content-Length")
        let call = Performance<DataTask>(request, .data)
        let calls = Recorder<[Int64]>()
        call.task.hooks.didSendBodyData = { _, count, sent, expected in calls.record([count, sent, expected]) }
        call.delegate.sent(10, total: 30, expected: expected)
        call.waitForHooks()
        #expect(call.task.uploadProgress.completedUnitCount == 30)
        #expect(call.task.uploadProgress.totalUnitCount == total)
        #expect(calls.values == [[10, 30, expected]])
    }

    @Test("A body stream is created only for a streamed upload")
    func bodyStream() async throws {
        let plain = makeData()
        let streams = Recorder<Bool>()
        plain.delegate.makeBodyStream { streams.record($0 != nil) }
        let template = TransferTemplate.upload({ InputStream(data: Data("content".utf8)) }, length: nil)
        let upload = Performance<UploadTask>(URLRequest(url: url), template)
        upload.delegate.makeBodyStream { streams.record($0 != nil) }
        #expect(streams.values == [false, true])
        // The hook's stream comes before the task's own.
        let calls = Recorder<Void>()
        upload.task.hooks.needNewBodyStream = { _ in
            calls.record(())
            return nil
        }
        upload.delegate.makeBodyStream { streams.record($0 != nil) }
        #expect(try await streams.wait(for: 3).last == true)
        #expect(calls.values.count == 1)
    }

    // MARK: Downloads

    private func makeDownload() -> Performance<DownloadTask> { Performance(URLRequest(url: url), .download) }

    @Test("The progress of a download has the bytes written, beginning at the offset of a resumption")
    func writtenContent() {
        let call = makeDownload()
        let calls = Recorder<[Int64]>()
        call.task.hooks.didWriteData = { _, count, total, expected in calls.record([count, total, expected]) }
        call.task.hooks.didResumeDownload = { _, offset, expected in calls.record([offset, expected]) }
        call.delegate.resumed(at: 40, expected: 100)
        #expect(call.task.downloadProgress.completedUnitCount == 40)
        call.delegate.wrote(10, total: 50, expected: 100)
        #expect(call.task.downloadProgress.completedUnitCount == 50)
        #expect(call.task.downloadProgress.totalUnitCount == 100)
        call.waitForHooks()
        #expect(calls.values == [[40, 100], [10, 50, 100]])
    }

    @Test("The file of a download is moved before the transport removes it")
    func file() throws {
        let folder = TemporaryFolder()
        let call = makeDownload()
        let file = try folder.file("transport", Data("content".utf8))
        call.delegate.receiveFile(at: file)
        #expect(!FileManager.default.fileExists(atPath: file.path))
        let result = try call.end()
        let moved = try #require(result.file)
        #expect(try Data(contentsOf: moved) == Data("content".utf8))
        #expect(result.error == nil)
    }

    @Test("A file that cannot be moved fails the transfer")
    func missingFile() throws {
        let folder = TemporaryFolder()
        let call = makeDownload()
        call.delegate.receiveFile(at: folder.url.appendingPathComponent("missing"))
        #expect(call.task.state == .canceling)
        #expect(try call.end(with: URLError(.cancelled)).error?.code == .fileMoveFailed)
    }

    // MARK: The cache

    @Test("A hook decides about the response to store, and without a hook the session decides")
    func cache() async throws {
        let call = makeData()
        let proposal = CachedURLResponse(response: try makeResponse(), data: Data())
        let other = CachedURLResponse(response: try makeResponse(), data: Data("other".utf8))
        #expect(call.delegate.cachingDecision { proposal } == nil)
        call.task.hooks.willCacheResponse = { _, _ in other }
        let answer = try #require(call.delegate.cachingDecision { proposal })
        #expect(try await value(answer) === other)
    }

    // MARK: Failures

    @Test("The first failure of a transfer is its error, and cancels it")
    func failures() throws {
        let call = makeData()
        call.delegate.fail(with: LarkspurError(.timedOut, "The first."))
        call.delegate.fail(with: LarkspurError(.contentTooLarge, "The second."))
        #expect(call.transfer.controls.values == [.start, .cancel])
        #expect(try call.end(with: URLError(.cancelled)).error?.code == .timedOut)
    }

    @Test("A task that was cancelled before its first failure ends as cancelled")
    func failureAfterCancellation() throws {
        let call = makeData()
        call.task.cancel()
        call.delegate.fail(with: LarkspurError(.timedOut, "Late."))
        #expect(try call.end(with: URLError(.cancelled)).error?.code == .cancelled)
    }

    @Test("A transfer that succeeds before its cancellation takes effect ends as cancelled")
    func lateCancellation() throws {
        let call = makeData()
        call.task.cancel()
        #expect(try call.end().error?.code == .cancelled)
    }

    @Test("The error of the transport becomes the error of the transfer, with its response")
    func transportError() throws {
        let call = makeData()
        let response = try makeResponse()
        _ = call.delegate.receive(ReceivedResponse(response))
        let error = try call.end(with: URLError(.networkConnectionLost)).error
        #expect(error?.code == .connectionLost)
        #expect(error?.response === response)
    }
}

/// An adapter of a session that lacks some abilities.
struct LimitedAdapter: TransportAdapter {
    private let standard = StandardTransportAdapter()
    var canBecomeDownload = true
    var canRefuseRedirect = true

    init(canBecomeDownload: Bool = true, canRefuseRedirect: Bool = true) {
        self.canBecomeDownload = canBecomeDownload
        self.canRefuseRedirect = canRefuseRedirect
    }

    var sendsLengthOfStreams: Bool { true }
    var reportsLossOfKeptConnections: Bool { true }

    func canRefuseRedirect(of kind: TransferKind) -> Bool { canRefuseRedirect }
    func prepare(_ request: URLRequest, for kind: TransferKind) throws(LarkspurError) -> URLRequest { request }
    func validate(_ limits: Timeouts) throws(LarkspurError) {}
    func perform(_ control: TaskControl, on task: URLSessionTask, in session: URLSession) {}
    func invalidate(_ session: URLSession, cancelingTasks: Bool) {}
    func disposition(
        for answer: ChallengeDisposition,
        to challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?)? { standard.disposition(for: answer, to: challenge) }
    func reply(
        in session: URLSession,
        if isActive: @escaping @Sendable () -> Bool,
        _ completion: @escaping @Sendable () -> Void
    ) { completion() }
    func unenforcedResourceTimeout(of session: URLSession) -> TimeInterval? { nil }
    func makeBodyStream(
        on queue: DispatchQueue,
        _ hook: @escaping @Sendable () -> InputStream?,
        _ completion: @escaping @Sendable (InputStream?) -> Void
    ) { completion(hook()) }
    func prepareRedirect(_ request: URLRequest, after response: HTTPURLResponse) -> URLRequest { request }
    func hasGivenUp(on task: URLSessionTask, redirectedBy response: HTTPURLResponse) -> Bool { false }
    func setPriority(_ priority: Float, of task: URLSessionTask) {}
    func makeDownloadTask(
        resuming resumeData: Data,
        with request: URLRequest?,
        in session: URLSession
    ) throws(LarkspurError) -> URLSessionDownloadTask { throw LarkspurError(.unsupported, "It resumes nothing.") }
}
