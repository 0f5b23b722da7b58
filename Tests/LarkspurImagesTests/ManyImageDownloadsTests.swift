import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurImages

/// A thousand who want images at once, a third of whom change their minds.
@Suite("Many downloads of images", .timeLimit(.minutes(5)))
struct ManyImageDownloadsTests {
    private static let count = 1_000

    /// How often each completion handler was called, and with what.
    private final class Ledger: Sendable {
        private let codes = Mutex([[LarkspurError.Code?]](repeating: [], count: ManyImageDownloadsTests.count))

        func note(_ index: Int, _ response: DataResponse<Image>) {
            codes.withLock { $0[index].append(response.error?.code) }
        }

        var all: [[LarkspurError.Code?]] { codes.withLock { $0 } }
    }

    private func run(
        _ downloader: ImageDownloader,
        _ ledger: Ledger,
        url: @escaping @Sendable (Int) -> URL,
        meanwhile: @escaping @Sendable () -> Void = {}
    ) async throws {
        await withTaskGroup { group in
            for thread in 0..<4 {
                group.addTask {
                    for index in stride(from: thread, to: Self.count, by: 4) {
                        var request = URLRequest(url: url(index))
                        // Not from memory, so that each waits for a download.
                        request.cachePolicy = .reloadIgnoringLocalCacheData
                        let receipt = downloader.download(request) { ledger.note(index, $0) }
                        guard index % 3 == 0, let receipt else { continue }
                        if index % 2 == 0 {
                            downloader.cancel(receipt)
                        } else {
                            cancelElsewhere(downloader, receipt)
                        }
                    }
                }
            }
            group.addTask { meanwhile() }
        }
        try await downloader.manager.finishAll()
    }

    private func cancelElsewhere(_ downloader: ImageDownloader, _ receipt: ImageDownloadReceipt) {
        DispatchQueue.global().async { downloader.cancel(receipt) }
    }

    private func makeDownloader(_ manager: SessionManager) -> ImageDownloader {
        ImageDownloader(manager: manager, maximumActiveDownloads: 3, cache: nil)
    }

    private func check(_ ledger: Ledger, allowing codes: Set<LarkspurError.Code>) {
        for (index, calls) in ledger.all.enumerated() {
            #expect(calls.count == 1, "\(index)")
            guard let code = calls.first.flatMap({ $0 }) else { continue }
            #expect(codes.contains(code) || (code == .cancelled && index % 3 == 0), "\(index)")
        }
    }

    @Test("On a stub session, each handler is called exactly once")
    func stub() async throws {
        let png = ImageFixture.png.data
        let manager = SessionManager.stubbed { _ in .respond(headers: ["Content-Type": "image/png"], body: png) }
        let url = try #require(URL(string: "http://stub.test/"))
        let ledger = Ledger()
        try await run(makeDownloader(manager), ledger, url: { url.appendingPathComponent("\($0 % 17)") })
        check(ledger, allowing: [])
    }

    @Test("Over the network, each handler is called exactly once", arguments: TestTransport.allCases)
    func network(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        server.route("/{name}", .data(ImageFixture.png.data, contentType: "image/png"))
        let ledger = Ledger()
        try await run(makeDownloader(transport.makeManager()), ledger, url: { server.url("/\($0 % 17)") })
        check(ledger, allowing: [])
    }

    @Test(
        "If the session manager is invalidated during the downloads, each handler is called exactly once",
        arguments: TestTransport.allCases
    )
    func invalidation(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        server.route("/{name}", .data(ImageFixture.png.data, contentType: "image/png"))
        let manager = transport.makeManager()
        let ledger = Ledger()
        try await run(
            makeDownloader(manager),
            ledger,
            url: { server.url("/\($0 % 17)") },
            meanwhile: { manager.invalidate(cancelingTasks: true) }
        )
        check(ledger, allowing: [.cancelled, .sessionInvalidated])
        #expect(manager.tasks.isEmpty)
    }
}
