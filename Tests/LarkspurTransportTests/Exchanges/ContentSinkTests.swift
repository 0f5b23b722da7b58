#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

@Suite("ContentSink")
struct ContentSinkTests {
    private let engine = TestEngine()

    private func makeSink(_ task: TaskCore, in engine: TestEngine? = nil) -> ContentSink {
        ContentSink(task: task, group: (engine ?? self.engine).exchanges)
    }

    private func take(_ content: Data, by sink: ContentSink) -> URLError? { content.withUnsafeBytes { sink.take($0) } }

    private func take(_ text: String, by sink: ContentSink) -> URLError? { take(Data(text.utf8), by: sink) }

    private func decoder(_ coding: String) throws -> ContentDecoder {
        try #require(ContentDecoder(contentEncoding: coding, maximumExpansion: 10_000))
    }

    // MARK: Destinations

    @Test("Content for a completion handler is collected in order, and delivered at the end alone")
    func collecting() throws {
        let results = Recorder<Data?>()
        let task = try engine.makeTask(completion: .data { data, _, _ in results.record(data) })
        let sink = makeSink(task)
        for text in ["one", "", " two", " three"] { #expect(take(text, by: sink) == nil) }
        engine.outbox.send()
        #expect(sink.finish() == nil)
        #expect(sink.deliverResult() == nil)
        engine.outbox.end(task, with: nil)
        #expect(results.values.isEmpty)
        engine.outbox.send()
        #expect(results.values == [Data("one two three".utf8)])
        #expect(task.counts.received == 13)
    }

    @Test("Content without a completion handler is delivered as it arrives, and nothing at the end")
    func delivering() throws {
        let receiver = RecordingReceiver()
        let sink = makeSink(try engine.makeTask(receiver: receiver))
        #expect(take("one", by: sink) == nil)
        engine.outbox.send()
        #expect(take("two", by: sink) == nil)
        engine.outbox.send()
        #expect(sink.deliverResult() == nil)
        engine.outbox.send()
        #expect(receiver.events.values == ["data one", "data two"])
    }

    @Test("Content that no delegate reads is counted and not delivered")
    func unread() throws {
        let receiver = RecordingReceiver()
        let task = try engine.makeTask(receiver: receiver)
        let sink = makeSink(task)
        sink.incoming.isUnread = true
        #expect(take("content", by: sink) == nil)
        engine.outbox.send()
        #expect(receiver.events.values.isEmpty)
        #expect(task.counts.received == 7 && sink.incoming.decodedBytes == 7)
    }

    @Test(
        "A delegate of the task gets the response and the content besides a completion handler only if it shares them"
    )
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
            let sink = makeSink(task)
            let url = try #require(task.originalRequest?.url)
            sink.deliver(
                ReceivedResponse(URLResponse(url: url, mimeType: nil, expectedContentLength: 7, textEncodingName: nil))
            )
            #expect(take("content", by: sink) == nil)
            #expect(sink.deliverResult() == nil)
            engine.outbox.deliver(.complete(nil), to: task)
            engine.outbox.send()
            #expect(log.names == (isShared ? ["response", "data"] : []))
            #expect(results.values == [Data("content".utf8)])
            withExtendedLifetime((session, object)) {}
        }
    }

    // MARK: Pausing

    @Test("Content waits when as much is delivered as the mark allows, until its consumer has taken it")
    func backPressure() throws {
        let receiver = RecordingReceiver(holdsContent: true)
        let sink = makeSink(try engine.makeTask(receiver: receiver))
        #expect(take(Data(count: Backlog.upperMark - 1), by: sink) == nil)
        #expect(!sink.mustWait(isBuffering: false, count: 1))
        #expect(take(Data(count: 1), by: sink) == nil)
        #expect(sink.mustWait(isBuffering: false, count: 1))
        #expect(sink.incoming.isPaused)
        engine.outbox.send()
        #expect(engine.takeCommands() == [])
    }

    @Test("Content that is read ahead does not wait, up to its count")
    func readAhead() throws {
        let sink = makeSink(try engine.makeTask(receiver: RecordingReceiver(holdsContent: true)))
        #expect(take(Data(count: Backlog.upperMark), by: sink) == nil)
        sink.incoming.readAhead = 5
        #expect(!sink.mustWait(isBuffering: false, count: 3))
        #expect(sink.incoming.readAhead == 2)
        #expect(!sink.mustWait(isBuffering: false, count: 3))
        #expect(sink.mustWait(isBuffering: false, count: 3))
    }

    @Test("The consumption of content that waits is a command to the loop, once")
    func consumption() throws {
        let receiver = RecordingReceiver()
        let sink = makeSink(try engine.makeTask(receiver: receiver))
        #expect(take(Data(count: Backlog.upperMark), by: sink) == nil)
        #expect(sink.mustWait(isBuffering: false, count: 1))
        engine.outbox.send()
        #expect(engine.takeCommands() == ["consumed"])
        sink.incoming.isPaused = false
        #expect(!sink.mustWait(isBuffering: false, count: 1))
    }

    @Test("Content that waits for its disposition is limited by the same mark, and then delivered or dropped")
    func buffering() throws {
        let receiver = RecordingReceiver()
        let sink = makeSink(try engine.makeTask(receiver: receiver))
        sink.incoming.buffered = Data(repeating: 65, count: Backlog.upperMark - 1)
        #expect(!sink.mustWait(isBuffering: true, count: 1))
        sink.incoming.buffered.append(65)
        #expect(sink.mustWait(isBuffering: true, count: 1))
        sink.dropBuffered()
        #expect(!sink.incoming.isPaused)
        #expect(sink.takeBuffered() == nil)
        engine.outbox.send()
        #expect(receiver.events.values.isEmpty)

        sink.incoming.buffered = Data("content".utf8)
        sink.incoming.isPaused = true
        #expect(sink.incoming.arrivedBytes(isBuffering: true) == 7)
        #expect(sink.takeBuffered() == nil)
        #expect(!sink.incoming.isPaused)
        #expect(sink.incoming.buffered.isEmpty)
        engine.outbox.send()
        #expect(receiver.events.values == ["data content"])
    }

    // MARK: Decoding

    @Test("Coded content is decoded, however many bytes arrive at a time", arguments: CodedSample.all, [1, 7, 1 << 20])
    func decoding(_ sample: CodedSample, step: Int) throws {
        let results = Recorder<Data?>()
        let task = try engine.makeTask(completion: .data { data, _, _ in results.record(data) })
        let sink = makeSink(task)
        sink.incoming.decoder = try decoder(sample.field)
        for start in stride(from: 0, to: sample.coded.count, by: step) {
            #expect(take(sample.coded[start..<min(start + step, sample.coded.count)], by: sink) == nil)
        }
        #expect(sink.finish() == nil)
        #expect(sink.deliverResult() == nil)
        engine.outbox.end(task, with: nil)
        engine.outbox.send()
        #expect(results.values == [CodedSample.text])
        #expect(sink.incoming.decodedBytes == Int64(CodedSample.text.count))
        #expect(task.counts.received == Int64(CodedSample.text.count))
    }

    @Test("Decoding pauses in the middle of what has arrived, and continues without further input")
    func pausedDecoding() throws {
        let receiver = RecordingReceiver()
        let sink = makeSink(try engine.makeTask(receiver: receiver))
        sink.incoming.decoder = try decoder("gzip")
        #expect(take(CodedSample.zeros(members: 64), by: sink) == nil)
        #expect(sink.incoming.isPaused && sink.hasRest)
        let whole: Int64 = 64 << 16
        #expect(sink.incoming.decodedBytes < whole)
        var turns = 0
        while sink.hasRest, turns < 100 {
            turns += 1
            engine.outbox.send()
            sink.incoming.isPaused = false
            #expect(take(Data(), by: sink) == nil)
        }
        #expect(sink.incoming.decodedBytes == whole)
        #expect(sink.finish() == nil)
    }

    @Test("Content that is not in its coding, or ends before it, is a failure that names the request's URL")
    func malformed() throws {
        let url = try #require(URL(string: "http://origin.test/coded"))
        let sink = makeSink(try engine.makeTask(receiver: RecordingReceiver()))
        sink.url = url
        sink.incoming.decoder = try decoder("gzip")
        let failure = take("This is not gzip, which begins otherwise.", by: sink)
        #expect(failure?.code == .cannotDecodeContentData)
        #expect(failure?.failingURL == url)

        sink.incoming = ContentSink.Incoming()
        sink.incoming.decoder = try decoder("gzip")
        #expect(take(CodedSample.gzip.coded.prefix(60), by: sink) == nil)
        #expect(sink.finish()?.code == .cannotDecodeContentData)
    }

    // MARK: The largest content

    @Test("Content for a completion handler may have the size that the session allows, and no byte more")
    func excess() throws {
        let engine = makeLimitedEngine()
        let sink = makeSink(try engine.makeTask(completion: .data { _, _, _ in }), in: engine)
        #expect(sink.excess(of: 10) == nil)
        #expect(sink.excess(of: 11)?.code == .dataLengthExceedsMaximum)
        #expect(take("12345", by: sink) == nil)
        #expect(take("67890", by: sink) == nil)
        #expect(take("!", by: sink)?.code == .dataLengthExceedsMaximum)
    }

    @Test("The limit holds for decoded content")
    func decodedExcess() throws {
        let engine = makeLimitedEngine()
        let sink = makeSink(try engine.makeTask(completion: .data { _, _, _ in }), in: engine)
        sink.incoming.decoder = try decoder("gzip")
        #expect(take(CodedSample.gzip.coded, by: sink)?.code == .dataLengthExceedsMaximum)
    }

    @Test("Neither delegates nor downloads have the limit, as nothing is collected for them", arguments: [true, false])
    func unlimited(isDownload: Bool) throws {
        let engine = makeLimitedEngine()
        let receiver = RecordingReceiver()
        let task = try engine.makeTask(isDownload ? .download : .data, receiver: receiver)
        let sink = makeSink(task, in: engine)
        #expect(sink.excess(of: 11) == nil)
        #expect(take("12345678901", by: sink) == nil)
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
        "A response for the cache gets the whole content, once, with a completion handler and without",
        arguments: [true, false]
    )
    func cacheCopy(hasHandler: Bool) throws {
        let engine = makeCachingEngine()
        let task =
            hasHandler
            ? try engine.makeTask(completion: .data { _, _, _ in }) : try engine.makeTask(receiver: RecordingReceiver())
        let sink = makeSink(task, in: engine)
        sink.incoming.copy = ContentSink.CacheCopy(entry: .made(content: ""), hasEntries: false)
        for text in ["one", " two"] { #expect(take(text, by: sink) == nil) }
        #expect(sink.takeCopy()?.content == Data("one two".utf8))
        #expect(sink.takeCopy() == nil)
    }

    @Test("Content that is too large for the cache is not copied, and what the cache has for the URL is removed")
    func largeCacheCopy() throws {
        let engine = makeCachingEngine()
        let cache = try #require(engine.settings.cache)
        let request = URLRequest(url: try #require(URL(string: "http://a.test/x")))
        cache.store(.made(["cache-control": "max-age=60"]), for: request)
        try #require(!cache.lookUp("http://a.test/x", for: .made()).entries.isEmpty)
        let sink = makeSink(try engine.makeTask(receiver: RecordingReceiver()), in: engine)
        sink.incoming.copy = ContentSink.CacheCopy(entry: .made(content: ""), hasEntries: true)
        #expect(take(Data(count: cache.maximumContentSize + 1), by: sink) == nil)
        #expect(sink.takeCopy() == nil)
        #expect(cache.lookUp("http://a.test/x", for: .made()).entries.isEmpty)
    }
}
#endif
