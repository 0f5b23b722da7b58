import LarkspurTesting
import Testing

@testable import LarkspurImages

/// The cases of AFNetworking's tests of its image downloader.
@Suite("Image downloaders", .timeLimit(.minutes(5)))
struct ImageDownloaderTests {
    typealias Response = DataResponse<Image>

    let server: LoopbackServer
    let responses = Recorder<Response>()
    static let png = ImageFixture.png.data

    init() throws {
        server = try LoopbackServer()
        for name in ["a", "b", "c", "d", "e"] {
            server.route("/\(name).png", .data(Self.png, contentType: "image/png"))
        }
    }

    /// Without an HTTP cache, so that each download is a request.
    private func makeDownloader(
        _ transport: TestTransport,
        prioritization: ImageDownloader.Prioritization = .firstInFirstOut,
        maximumActiveDownloads: Int = 4,
        cache: (any ImageCache)? = AutoPurgingImageCache(),
        queue: DispatchQueue? = nil
    ) -> ImageDownloader {
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache = nil
        return ImageDownloader(
            manager: transport.makeManager(configuration: configuration, completionQueue: queue),
            prioritization: prioritization,
            maximumActiveDownloads: maximumActiveDownloads,
            cache: cache
        )
    }

    private func request(_ name: String, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy) -> URLRequest {
        URLRequest(url: server.url("/\(name)"), cachePolicy: policy)
    }

    @discardableResult
    private func download(
        _ name: String,
        with downloader: ImageDownloader,
        _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) -> ImageDownloadReceipt? {
        downloader.download(request(name, policy)) { responses.record($0) }
    }

    /// Has the server answer a request when the gate is opened.
    private func hold(_ name: String) -> LoopbackServer.Gate {
        let gate = LoopbackServer.Gate()
        server.route("/\(name)", .data(Self.png, contentType: "image/png").held(until: gate))
        return gate
    }

    // MARK: Making one

    @Test func sharedOne() {
        #expect(ImageDownloader.shared === ImageDownloader.shared)
        #expect(ImageDownloader.shared.maximumActiveDownloads == 4)
        #expect(ImageDownloader.shared.prioritization == .firstInFirstOut)
        let cache = ImageDownloader.shared.manager.configuration.urlCache
        #expect(cache?.memoryCapacity == 20_971_520 && cache?.diskCapacity == 157_286_400)
    }

    @Test("A released downloader finishes its downloads", arguments: TestTransport.allCases)
    func release(_ transport: TestTransport) async throws {
        weak var released: ImageDownloader?
        let gate = hold("a.png")
        do {
            let downloader = makeDownloader(transport, maximumActiveDownloads: 1)
            download("a.png", with: downloader)
            download("b.png", with: downloader)
            released = downloader
        }
        gate.open()
        #expect(try await responses.wait(for: 2).allSatisfy { $0.error == nil })
        try await eventually { released == nil }
    }

    // MARK: Downloading

    @Test func requestWithoutURL() async throws {
        let downloader = makeDownloader(.curl)
        var request = request("a.png")
        request.url = nil
        #expect(downloader.download(request) { responses.record($0) } == nil)
        let error = try #require(try await responses.first().error)
        #expect(error.code == .invalidURL && error.errorCode == NSURLErrorBadURL)
    }

    @Test(arguments: TestTransport.allCases)
    func image(_ transport: TestTransport) async throws {
        #expect(download("a.png", with: makeDownloader(transport)) != nil)
        let response = try await responses.first()
        #expect(response.statusCode == 200)
        #expect(response.value?.data == Self.png)
        #expect(response.value?.width == 7)
    }

    @Test("Two images are downloaded at the same time", arguments: TestTransport.allCases)
    func twoImages(_ transport: TestTransport) async throws {
        let gates = [hold("a.png"), hold("b.png")]
        let downloader = makeDownloader(transport)
        download("a.png", with: downloader)
        download("b.png", with: downloader)
        try await server.waitForRequests(2)
        for gate in gates { gate.open() }
        #expect(try await responses.wait(for: 2).allSatisfy { $0.value?.data == Self.png })
    }

    @Test("Two requests for the same image share one download", arguments: TestTransport.allCases)
    func sharing(_ transport: TestTransport) async throws {
        let gate = hold("a.png")
        let downloader = makeDownloader(transport)
        let receipts = [download("a.png", with: downloader), download("a.png", with: downloader)]
        gate.open()
        let both = try await responses.wait(for: 2)
        #expect(both[0].response === both[1].response && both[0].response != nil)
        #expect(both[0].value == both[1].value && both[0].value != nil)
        #expect(receipts[0] != receipts[1])
        #expect(server.requests.count == 1)
    }

    @Test("Requests for one URL with different credentials have separate downloads", arguments: TestTransport.allCases)
    func credentials(_ transport: TestTransport) async throws {
        let gate = hold("a.png")
        let downloader = makeDownloader(transport)
        for user in ["ada", "bob"] {
            var request = request("a.png")
            request.setValue("Bearer \(user)", forHTTPHeaderField: "Authorization")
            downloader.download(request) { responses.record($0) }
        }
        try await server.waitForRequests(2)
        gate.open()
        try await responses.wait(for: 2)
        #expect(Set(server.requests.map { $0.headers["Authorization"] }) == ["Bearer ada", "Bearer bob"])
    }

    @Test("An image behind a redirect is stored for the original request", arguments: TestTransport.allCases)
    func redirect(_ transport: TestTransport) async throws {
        server.route("/moved", .redirect(to: "/a.png"))
        let downloader = makeDownloader(transport)
        download("moved", with: downloader)
        #expect(try await responses.first().value?.data == Self.png)
        #expect(download("moved", with: downloader) == nil)
    }

    // MARK: The cache

    @Test("An image from memory has no response and no receipt", arguments: TestTransport.allCases)
    func cached(_ transport: TestTransport) async throws {
        let downloader = makeDownloader(transport)
        download("a.png", with: downloader)
        let first = try await responses.first()
        #expect(download("a.png", with: downloader) == nil)
        let second = try #require(try await responses.wait(for: 2).last)
        #expect(second.response == nil && first.response != nil)
        #expect(second.value == first.value && second.value != nil)
        #expect(server.requests.count == 1)
    }

    @Test("The cache decides whether it stores an image", arguments: TestTransport.allCases, [true, false])
    func shouldCache(_ transport: TestTransport, _ wantsImages: Bool) async throws {
        let cache = RecordingImageCache(wantsImages: wantsImages)
        let downloader = makeDownloader(transport, cache: cache)
        download("a.png", with: downloader)
        try await responses.wait()
        #expect(cache.calls.values == (wantsImages ? ["should cache", "add"] : ["should cache"]))
        let receipt = download("a.png", with: downloader)
        try await responses.wait(for: 2)
        #expect((receipt == nil) == wantsImages)
        #expect(server.requests.count == (wantsImages ? 1 : 2))
    }

    @Test("A request that ignores caches is downloaded", arguments: TestTransport.allCases)
    func ignoringCache(_ transport: TestTransport) async throws {
        let downloader = makeDownloader(transport)
        let first = download("a.png", with: downloader)
        try await responses.wait()
        let second = download("a.png", with: downloader, .reloadIgnoringLocalCacheData)
        #expect(try await responses.wait(for: 2).last?.response != nil)
        #expect(second != nil && second != first)
        #expect(server.requests.count == 2)
    }

    @Test("Without a cache, every image is downloaded")
    func noCache() async throws {
        let downloader = makeDownloader(.curl, cache: nil)
        for count in 1...2 {
            download("a.png", with: downloader)
            try await responses.wait(for: count)
        }
        #expect(server.requests.count == 2)
    }

    // MARK: Cancelling

    @Test(arguments: TestTransport.allCases)
    func cancellation(_ transport: TestTransport) async throws {
        let gate = hold("a.png")
        let downloader = makeDownloader(transport)
        let receipt = try #require(download("a.png", with: downloader))
        try await server.waitForRequests(1)
        downloader.cancel(receipt)
        downloader.cancel(receipt)
        let error = try #require(try await responses.first().error)
        #expect(error.code == .cancelled && error.errorCode == NSURLErrorCancelled)
        #expect(error.failingURL == server.url("/a.png"))
        // The task itself has been cancelled too: its connection is closed, though the server says nothing.
        try await eventually { downloader.manager.tasks.isEmpty }
        gate.open()
        try await downloader.manager.finishAll()
        #expect(responses.values.count == 1)
    }

    @Test("Cancelling one of two callers does not cancel the download", arguments: TestTransport.allCases)
    func cancellationOfOne(_ transport: TestTransport) async throws {
        let gate = hold("a.png")
        let downloader = makeDownloader(transport)
        let receipt = try #require(download("a.png", with: downloader))
        download("a.png", with: downloader)
        try await server.waitForRequests(1)
        downloader.cancel(receipt)
        #expect(try await responses.first().error?.code == .cancelled)
        gate.open()
        #expect(try await responses.wait(for: 2).last?.value?.data == Self.png)
        #expect(server.requests.count == 1)
    }

    @Test("Cancelled images that are requested again are downloaded", arguments: TestTransport.allCases)
    func cancellationAndAgain(_ transport: TestTransport) async throws {
        let names = ["a.png", "b.png", "c.png", "d.png", "e.png"]
        // Else an image could be there before its download is cancelled.
        let gates = names.map(hold)
        let downloader = makeDownloader(transport)
        for name in names { download(name, with: downloader).map { downloader.cancel($0) } }
        for name in names { download(name, with: downloader) }
        for gate in gates { gate.open() }
        try await downloader.manager.finishAll()
        #expect(responses.values.filter { $0.error?.code == .cancelled }.count == 5)
        #expect(responses.values.filter { $0.value?.data == Self.png }.count == 5)
        #expect(responses.values.count == 10)
    }

    @Test("A cancelled image is not stored in the cache", arguments: TestTransport.allCases)
    func cancelledImageIsNotCached(_ transport: TestTransport) async throws {
        let gate = hold("a.png")
        let cache = RecordingImageCache(wantsImages: true)
        let downloader = makeDownloader(transport, cache: cache)
        let receipt = try #require(download("a.png", with: downloader))
        try await server.waitForRequests(1)
        downloader.cancel(receipt)
        gate.open()
        try await downloader.manager.finishAll()
        try await eventually { downloader.manager.tasks.isEmpty }
        #expect(cache.calls.values.isEmpty)
    }

    // MARK: Queues and receipts

    @Test("Images are delivered on the completion queue", arguments: TestTransport.allCases)
    func successQueue(_ transport: TestTransport) async throws {
        let queues = Recorder<String?>()
        let downloader = makeDownloader(transport, queue: TestQueue.make("of the caller"))
        downloader.download(request("a.png")) { _ in queues.record(TestQueue.current) }
        try await queues.wait()
        downloader.download(request("a.png")) { _ in queues.record(TestQueue.current) }
        #expect(try await queues.wait(for: 2) == ["of the caller", "of the caller"])
    }

    @Test("Failures are delivered on the completion queue", arguments: TestTransport.allCases)
    func failureQueue(_ transport: TestTransport) async throws {
        let queues = Recorder<String?>()
        let codes = Recorder<LarkspurError.Code?>()
        let downloader = makeDownloader(transport, queue: TestQueue.make("of the caller"))
        downloader.download(request("status/404")) { response in
            codes.record(response.error?.code)
            queues.record(TestQueue.current)
        }
        #expect(try await queues.wait() == ["of the caller"])
        #expect(codes.values == [.unacceptableStatusCode])
    }

    @Test func receipt() async throws {
        let id = UUID()
        let downloader = makeDownloader(.curl)
        #expect(downloader.download(request("a.png"), receiptID: id) { responses.record($0) }?.id == id)
        try await responses.wait()
    }

    @Test(
        "Waiting downloads begin in the chosen order, one after the other",
        arguments: TestTransport.allCases,
        ImageDownloader.Prioritization.allCases
    )
    func order(_ transport: TestTransport, _ prioritization: ImageDownloader.Prioritization) async throws {
        let gate = hold("a.png")
        let downloader = makeDownloader(transport, prioritization: prioritization, maximumActiveDownloads: 1)
        for name in ["a", "b", "c", "d"] { download("\(name).png", with: downloader) }
        try await server.waitForRequests(1)
        gate.open()
        try await responses.wait(for: 4)
        let expected = prioritization == .firstInFirstOut ? ["b", "c", "d"] : ["d", "c", "b"]
        #expect(server.requests.map(\.path) == (["a"] + expected).map { "/\($0).png" })
    }

    // MARK: Waiting for one

    @Test("A task can wait for an image, and a cancellation ends its wait", arguments: TestTransport.allCases)
    func async(_ transport: TestTransport) async throws {
        let downloader = makeDownloader(transport)
        #expect(try await downloader.image(for: request("a.png")).data == Self.png)
        let gate = hold("b.png")
        let request = request("b.png")
        let waiting = Task { await downloader.response(for: request) }
        let other = Task { await downloader.response(for: request) }
        try await server.waitForRequests(2)
        waiting.cancel()
        #expect(await waiting.value.error?.code == .cancelled)
        gate.open()
        #expect(await other.value.value?.data == Self.png)
    }

    @Test("A task that was cancelled before the request gets no image")
    func cancelledBefore() async throws {
        let gate = hold("a.png")
        defer { gate.open() }
        let downloader = makeDownloader(.curl)
        let request = request("a.png")
        let waiting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await downloader.response(for: request)
        }
        #expect(await waiting.value.error?.code == .cancelled)
    }
}
