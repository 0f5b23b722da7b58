#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

@Suite("ReceivedContent")
struct ReceivedContentTests {
    private let engine = TestEngine()

    private func makeContent(_ task: TaskCore, in engine: TestEngine? = nil) -> ReceivedContent {
        ReceivedContent(task: task, group: (engine ?? self.engine).exchanges)
    }

    private func take(_ content: Data, by received: ReceivedContent) -> URLError? {
        content.withUnsafeBytes { received.take($0) }
    }

    private func take(_ text: String, by received: ReceivedContent) -> URLError? { take(Data(text.utf8), by: received) }

    private func decoder(_ coding: String) throws -> ContentDecoder {
        try #require(ContentDecoder(contentEncoding: coding, maximumExpansion: 10_000))
    }

    // MARK: Destinations

    @Test("Content for a completion handler is collected in order, and delivered only at the end")
    func collecting() throws {
        let results = Recorder<Data?>()
        let task = try engine.makeTask(completion: .data { data, _, _ in results.record(data) })
        let received = makeContent(task)
        for text in ["one", "", " two", " three"] { #expect(take(text, by: received) == nil) }
        engine.outbox.send()
        #expect(received.end() == nil)
        #expect(received.deliverResult() == nil)
        engine.outbox.end(task, with: nil)
        #expect(results.values.isEmpty)
        engine.outbox.send()
        #expect(results.values == [Data("one two three".utf8)])
        #expect(task.counts.received == 13)
    }

    @Test("Content without a completion handler is delivered as it arrives, and not again at the end")
    func delivering() throws {
        let receiver = RecordingReceiver()
        let received = makeContent(try engine.makeTask(receiver: receiver))
        #expect(take("one", by: received) == nil)
        engine.outbox.send()
        #expect(take("two", by: received) == nil)
        engine.outbox.send()
        #expect(received.deliverResult() == nil)
        engine.outbox.send()
        #expect(receiver.events.values == ["data one", "data two"])
    }

    @Test("Content that no delegate reads is counted and not delivered")
    func unread() throws {
        let receiver = RecordingReceiver()
        let task = try engine.makeTask(receiver: receiver)
        let received = makeContent(task)
        received.incoming.isUnread = true
        #expect(take("content", by: received) == nil)
        engine.outbox.send()
        #expect(receiver.events.values.isEmpty)
        #expect(task.counts.received == 7 && received.incoming.decodedBytes == 7)
    }

    @Test("A task delegate gets the response and content of a task with a completion handler only if it shares them")
    func sharing() throws {
        for isShared in [true, false] {
            let log = DelegateLog()
            let results = Recorder<Data?>()
            let (session, object) = (InertSession(), InertTask())
            engine.session.attach(session)
            let task = try engine.makeTask(completion: .data { data, _, _ in results.record(data) })
            task.attach(object)
            task.setDelegate(log)
            if isShared { task.shareContent() }
            let received = makeContent(task)
            let url = try #require(task.plan.originalRequest?.url)
            received.deliver(
                ReceivedResponse(URLResponse(url: url, mimeType: nil, expectedContentLength: 7, textEncodingName: nil))
            )
            #expect(take("content", by: received) == nil)
            #expect(received.deliverResult() == nil)
            engine.outbox.deliver(.end(nil), to: task)
            engine.outbox.send()
            #expect(log.names == (isShared ? ["response", "data"] : []))
            #expect(results.values == [Data("content".utf8)])
            withExtendedLifetime((session, object)) {}
        }
    }

    // MARK: Pausing

    @Test("Content waits while the delivered and unconsumed content reaches the upper mark")
    func backPressure() throws {
        let receiver = RecordingReceiver(holdsContent: true)
        let received = makeContent(try engine.makeTask(receiver: receiver))
        #expect(take(Data(count: Backlog.upperMark - 1), by: received) == nil)
        #expect(!received.mustWait(isBuffering: false, count: 1))
        #expect(take(Data(count: 1), by: received) == nil)
        #expect(received.mustWait(isBuffering: false, count: 1))
        #expect(received.incoming.isPaused)
        engine.outbox.send()
        #expect(engine.takeCommands() == [])
    }

    @Test("Content that is read ahead does not wait, up to a number of bytes")
    func readAhead() throws {
        let received = makeContent(try engine.makeTask(receiver: RecordingReceiver(holdsContent: true)))
        #expect(take(Data(count: Backlog.upperMark), by: received) == nil)
        received.incoming.readAhead = 5
        #expect(!received.mustWait(isBuffering: false, count: 3))
        #expect(received.incoming.readAhead == 2)
        #expect(!received.mustWait(isBuffering: false, count: 3))
        #expect(received.mustWait(isBuffering: false, count: 3))
    }

    @Test("The consumption of waiting content posts one command to the loop")
    func consumption() throws {
        let receiver = RecordingReceiver()
        let received = makeContent(try engine.makeTask(receiver: receiver))
        #expect(take(Data(count: Backlog.upperMark), by: received) == nil)
        #expect(received.mustWait(isBuffering: false, count: 1))
        engine.outbox.send()
        #expect(engine.takeCommands() == ["consumed"])
        received.incoming.isPaused = false
        #expect(!received.mustWait(isBuffering: false, count: 1))
    }

    @Test("Content that waits for its disposition is limited by the upper mark, and is then delivered or dropped")
    func buffering() throws {
        let receiver = RecordingReceiver()
        let received = makeContent(try engine.makeTask(receiver: receiver))
        received.incoming.buffered = Data(repeating: 65, count: Backlog.upperMark - 1)
        #expect(!received.mustWait(isBuffering: true, count: 1))
        received.incoming.buffered.append(65)
        #expect(received.mustWait(isBuffering: true, count: 1))
        received.dropBuffered()
        #expect(!received.incoming.isPaused)
        #expect(received.takeBuffered() == nil)
        engine.outbox.send()
        #expect(receiver.events.values.isEmpty)

        received.incoming.buffered = Data("content".utf8)
        received.incoming.isPaused = true
        #expect(received.incoming.arrivedBytes == 7)
        #expect(received.takeBuffered() == nil)
        #expect(!received.incoming.isPaused)
        #expect(received.incoming.buffered.isEmpty)
        engine.outbox.send()
        #expect(receiver.events.values == ["data content"])
    }

    // MARK: Decoding

    @Test("Coded content is decoded, however many bytes arrive at a time", arguments: CodedSample.all, [1, 7, 1 << 20])
    func decoding(_ sample: CodedSample, step: Int) throws {
        let results = Recorder<Data?>()
        let task = try engine.makeTask(completion: .data { data, _, _ in results.record(data) })
        let received = makeContent(task)
        received.incoming.decoder = try decoder(sample.field)
        for start in stride(from: 0, to: sample.coded.count, by: step) {
            #expect(take(sample.coded[start..<min(start + step, sample.coded.count)], by: received) == nil)
        }
        #expect(received.end() == nil)
        #expect(received.deliverResult() == nil)
        engine.outbox.end(task, with: nil)
        engine.outbox.send()
        #expect(results.values == [CodedSample.text])
        #expect(received.incoming.decodedBytes == Int64(CodedSample.text.count))
        #expect(task.counts.received == Int64(CodedSample.text.count))
    }

    @Test("Decoding pauses in the middle of the received bytes, and continues without further input")
    func pausedDecoding() throws {
        let receiver = RecordingReceiver()
        let received = makeContent(try engine.makeTask(receiver: receiver))
        received.incoming.decoder = try decoder("gzip")
        #expect(take(CodedSample.zeros(members: 64), by: received) == nil)
        #expect(received.incoming.isPaused && received.hasRest)
        let whole: Int64 = 64 << 16
        #expect(received.incoming.decodedBytes < whole)
        var turns = 0
        while received.hasRest, turns < 100 {
            turns += 1
            engine.outbox.send()
            received.incoming.isPaused = false
            #expect(take(Data(), by: received) == nil)
        }
        #expect(received.incoming.decodedBytes == whole)
        #expect(received.end() == nil)
    }

    @Test("Content that is truncated or not in its coding is a failure that names the request's URL")
    func malformed() throws {
        let url = try #require(URL(string: "http://origin.test/coded"))
        let received = makeContent(try engine.makeTask(receiver: RecordingReceiver()))
        received.url = url
        received.incoming.decoder = try decoder("gzip")
        let failure = take("This is not gzip, which begins otherwise.", by: received)
        #expect(failure?.code == .cannotDecodeContentData)
        #expect(failure?.failingURL == url)

        received.incoming = ReceivedContent.Incoming()
        received.incoming.decoder = try decoder("gzip")
        #expect(take(CodedSample.gzip.coded.prefix(60), by: received) == nil)
        #expect(received.end()?.code == .cannotDecodeContentData)
    }

    // MARK: The largest content

    @Test("Content for a completion handler may have the size that the session allows, and no byte more")
    func excess() throws {
        let engine = makeLimitedEngine()
        let received = makeContent(try engine.makeTask(completion: .data { _, _, _ in }), in: engine)
        #expect(received.excess(of: 10) == nil)
        #expect(received.excess(of: 11)?.code == .dataLengthExceedsMaximum)
        #expect(take("12345", by: received) == nil)
        #expect(take("67890", by: received) == nil)
        #expect(take("!", by: received)?.code == .dataLengthExceedsMaximum)
    }

    @Test("The size limit applies to decoded content")
    func decodedExcess() throws {
        let engine = makeLimitedEngine()
        let received = makeContent(try engine.makeTask(completion: .data { _, _, _ in }), in: engine)
        received.incoming.decoder = try decoder("gzip")
        #expect(take(CodedSample.gzip.coded, by: received)?.code == .dataLengthExceedsMaximum)
    }

    @Test("Content for a delegate or a file has no size limit", arguments: [true, false])
    func unlimited(isDownload: Bool) throws {
        let engine = makeLimitedEngine()
        let receiver = RecordingReceiver()
        let task = try engine.makeTask(isDownload ? .download : .data, receiver: receiver)
        let received = makeContent(task, in: engine)
        #expect(received.excess(of: 11) == nil)
        #expect(take("12345678901", by: received) == nil)
        #expect(task.counts.received == 11)
    }

    private func makeLimitedEngine() -> TestEngine {
        var options = EngineOptions()
        options.maximumContentSize = 10
        return TestEngine(options: options)
    }

    // MARK: The copy for the cache

    private func makeCachingEngine() -> TestEngine {
        TestEngine(.testing { $0.urlCache = HTTPCache(memoryCapacity: 1 << 20, diskCapacity: 0) })
    }

    @Test(
        "The cache gets the complete content once, with a completion handler and without",
        arguments: [true, false]
    )
    func cacheCopy(hasHandler: Bool) throws {
        let engine = makeCachingEngine()
        let task =
            hasHandler
            ? try engine.makeTask(completion: .data { _, _, _ in }) : try engine.makeTask(receiver: RecordingReceiver())
        let received = makeContent(task, in: engine)
        received.incoming.copy = ReceivedContent.CacheCopy(entry: .made(content: ""), hasEntries: false)
        for text in ["one", " two"] { #expect(take(text, by: received) == nil) }
        #expect(received.takeCopy()?.content == Data("one two".utf8))
        #expect(received.takeCopy() == nil)
    }

    @Test("Content that is too large for the cache is not copied, and what the cache has for the URL is removed")
    func largeCacheCopy() throws {
        let engine = makeCachingEngine()
        let cache = try #require(engine.settings.cache)
        let request = URLRequest(url: try #require(URL(string: "http://a.test/x")))
        cache.store(.made(["cache-control": "max-age=60"]), for: request)
        try #require(!cache.lookUp("http://a.test/x", for: .made()).entries.isEmpty)
        let received = makeContent(try engine.makeTask(receiver: RecordingReceiver()), in: engine)
        received.incoming.copy = ReceivedContent.CacheCopy(entry: .made(content: ""), hasEntries: true)
        #expect(take(Data(count: cache.maximumContentSize + 1), by: received) == nil)
        #expect(received.takeCopy() == nil)
        #expect(cache.lookUp("http://a.test/x", for: .made()).entries.isEmpty)
    }
}
#endif
