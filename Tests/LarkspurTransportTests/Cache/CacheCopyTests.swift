#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite("The copies in a program's own cache", .timeLimit(.minutes(5)))
struct CacheCopyTests {
    let cache = URLCache(memoryCapacity: 4 << 20, diskCapacity: 0, diskPath: nil)
    let lab: CacheLab

    init() throws {
        lab = try CacheLab(cache)
        for index in 0..<60 {
            // Every second one sets a cookie, for which a task waits too.
            let fields = index % 2 == 0 ? ["ETag": "\"a\""] : ["ETag": "\"a\"", "Set-Cookie": "a=\(index)"]
            lab.route("/x/\(index)", fields, notModified: ["ETag": "\"a\"", "X-New": "new"])
        }
    }

    private func request(_ index: Int) -> URLRequest { URLRequest(url: lab.server.url("/x/\(index)")) }

    /// Looks into the cache at the end of each task.
    private final class Witness: NSObject, URLSessionDataDelegate, Sendable {
        let cache: URLCache
        let found = Recorder<Bool>()
        let answersLater: Bool
        let answers = Mutex<[@Sendable () -> Void]>([])

        init(_ cache: URLCache, answersLater: Bool = false) {
            (self.cache, self.answersLater) = (cache, answersLater)
        }

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            willCacheResponse proposedResponse: CachedURLResponse,
            completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
        ) {
            guard answersLater else { return completionHandler(proposedResponse) }
            let proposal = Transferring(proposedResponse)
            answers.withLock { $0.append { completionHandler(proposal.value) } }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let copy = task.originalRequest.flatMap { cache.cachedResponse(for: $0) }
            found.record(error == nil && copy != nil)
        }
    }

    @Test("A completion handler finds the response there")
    func handler() async throws {
        let found = Recorder<Bool>()
        for index in 0..<60 {
            let request = request(index)
            lab.session.dataTask(with: request) { [cache] _, _, _ in
                found.record(cache.cachedResponse(for: request) != nil)
            }.resume()
            if index % 3 == 0 { try await found.wait(for: index + 1) }
        }
        try await found.wait(for: 60)
        #expect(found.values.allSatisfy { $0 })
    }

    @Test("After an await it is there, and after a validation the fields of the 304 too")
    func awaited() async throws {
        for index in 0..<10 {
            var request = request(index)
            _ = try await lab.session.data(for: request)
            #expect(cache.cachedResponse(for: request) != nil)
            request.cachePolicy = .reloadRevalidatingCacheData
            _ = try await lab.session.data(for: request)
            let copy = cache.cachedResponse(for: request)?.response as? HTTPURLResponse
            #expect(copy?.value(forHTTPHeaderField: "X-New") == "new")
        }
    }

    @Test("A delegate finds it there at the end, also on the session's thread")
    func delegate() async throws {
        for isOnLoop in [false, true] {
            let witness = Witness(cache)
            let session = CurlURLSession(
                .testing { $0.urlCache = cache },
                delegate: witness,
                queue: nil,
                options: .init(),
                callsDelegateOnLoop: isOnLoop
            )
            defer { session.finishTasksAndInvalidate() }
            let indices = isOnLoop ? 30..<60 : 0..<30
            for index in indices { session.dataTask(with: request(index)).resume() }
            try await witness.found.wait(for: indices.count)
            #expect(witness.found.values.allSatisfy { $0 })
        }
    }

    @Test("A task does not wait for a delegate that decides later, and its response is stored then")
    func lateDecision() async throws {
        let witness = Witness(cache, answersLater: true)
        let session = lab.makeSession(witness)
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: request(1)).resume()
        #expect(try await witness.found.first() == false)
        for answer in witness.answers.withLock({ $0 }) { answer() }
        try await eventually { cache.cachedResponse(for: request(1)) != nil }
    }

    @Test("Tasks end although their cache is emptied or released meanwhile")
    func emptied() async throws {
        var cache: URLCache? = URLCache(memoryCapacity: 4 << 20, diskCapacity: 0, diskPath: nil)
        let store = PlainStore(try #require(cache))
        let done = Recorder<Int>()
        for index in 0..<40 {
            store.store(.made(["ETag": "\"\(index)\""]), for: request(index)) { done.record(index) }
            if index % 4 == 0 { store.removeAll() }
            if index == 30 { cache = nil }
        }
        try await done.wait(for: 40)
        #expect(done.values.sorted() == Array(0..<40) && cache == nil)
    }

    @Test("A cache on disk without memory answers the request after the first")
    func onDisk() async throws {
        let directory = CacheDirectory()
        let lab = try CacheLab(HTTPCache(memoryCapacity: 0, diskCapacity: 20 << 20, directory: directory.url))
        // The folder is read once, before which every look-up waits.
        _ = try await lab.get("/first")
        for index in 0..<60 {
            lab.route(
                "/\(index)",
                ["Cache-Control": "max-age=600", "X-Fill": String(repeating: "x", count: index * 50)]
            )
            _ = try await lab.get("/\(index)")
            #expect(try await lab.get("/\(index)").source == "cache")
        }
    }
}
#endif
