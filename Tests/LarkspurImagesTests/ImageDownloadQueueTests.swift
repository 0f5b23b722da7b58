import Testing

@testable import LarkspurImages

@Suite("Queues of image downloads")
struct ImageDownloadQueueTests {
    private typealias Queue = ImageDownloadQueue<String>

    private func request(_ path: String, _ change: (inout URLRequest) -> Void = { _ in }) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://test.com/\(path)")))
        change(&request)
        return request
    }

    private func paths(_ queue: inout Queue, _ count: Int) -> [String?] {
        (0..<count).map { _ in queue.next()?.request.url?.lastPathComponent }
    }

    @Test("The next download is the oldest or the newest", arguments: ImageDownloader.Prioritization.allCases)
    func order(_ prioritization: ImageDownloader.Prioritization) throws {
        var queue = Queue(prioritization: prioritization, maximumActiveDownloads: 200)
        let names = (0..<200).map(String.init)
        for name in names { _ = queue.add(try request(name), id: UUID(), waiter: name) }
        #expect(paths(&queue, 200) == (prioritization == .firstInFirstOut ? names : names.reversed()))
        #expect(paths(&queue, 1) == [nil])
    }

    @Test("At least one download is active, and no more than the limit", arguments: [(2, 2), (0, 1), (-1, 1), (1, 1)])
    func limit(_ maximum: Int, _ expected: Int) throws {
        var queue = Queue(prioritization: .firstInFirstOut, maximumActiveDownloads: maximum)
        for name in ["a", "b", "c"] { _ = queue.add(try request(name), id: UUID(), waiter: name) }
        var started: [Int] = []
        while let (number, _) = queue.next() { started.append(number) }
        #expect(started.count == expected && queue.activeCount == expected)
        #expect(queue.finish(started[0])?.waiters == ["a"])
        #expect(queue.next() != nil && queue.next() == nil)
    }

    @Test("Equal requests share one download, whose waiters are in order")
    func merging() throws {
        var queue = Queue(prioritization: .firstInFirstOut, maximumActiveDownloads: 9)
        _ = queue.add(try request("a") { $0.setValue("1", forHTTPHeaderField: "x") }, id: UUID(), waiter: "1")
        _ = queue.add(try request("a") { $0.setValue("1", forHTTPHeaderField: "X") }, id: UUID(), waiter: "2")
        let number = try #require(queue.next()?.number)
        _ = queue.add(try request("a") { $0.setValue("1", forHTTPHeaderField: "x") }, id: UUID(), waiter: "3")
        #expect(queue.next() == nil)
        #expect(queue.finish(number)?.waiters == ["1", "2", "3"])
        #expect(queue.activeCount == 0)
    }

    @Test("Requests with any difference have separate downloads")
    func difference() throws {
        let changes: [(inout URLRequest) -> Void] = [
            { _ in },
            { $0.httpMethod = "POST" },
            { $0.httpBody = Data("x".utf8) },
            { $0.setValue("1", forHTTPHeaderField: "Authorization") },
            { $0.setValue("2", forHTTPHeaderField: "Authorization") },
            { $0.cachePolicy = .reloadIgnoringLocalCacheData },
            { $0.httpBodyStream = InputStream(data: Data()) },
            { $0.httpBodyStream = InputStream(data: Data()) },
        ]
        var queue = Queue(prioritization: .firstInFirstOut, maximumActiveDownloads: 99)
        for change in changes { _ = queue.add(try request("a", change), id: UUID(), waiter: "") }
        #expect(paths(&queue, 9).compactMap { $0 }.count == changes.count)
    }

    @Test("Cancelling one waiter keeps the download, and cancelling the last one removes it")
    func cancellation() throws {
        var queue = Queue(prioritization: .firstInFirstOut, maximumActiveDownloads: 1)
        let first = queue.add(try request("a"), id: UUID(), waiter: "1")
        let second = queue.add(try request("a"), id: UUID(), waiter: "2")
        #expect(queue.cancel(first)?.waiter == "1")
        #expect(queue.cancel(first) == nil)
        #expect(queue.cancel(second)?.waiter == "2")
        #expect(queue.next() == nil && queue.activeCount == 0)
    }

    @Test(
        "Downloads that are added and cancelled do not change the order of the others",
        arguments: ImageDownloader.Prioritization.allCases
    )
    func comingAndGoing(_ prioritization: ImageDownloader.Prioritization) throws {
        var queue = Queue(prioritization: prioritization, maximumActiveDownloads: 9)
        for round in 0..<3 {
            _ = queue.add(try request("kept-\(round)"), id: UUID(), waiter: "")
            for index in 0..<300 { _ = queue.cancel(queue.add(try request("\(index)"), id: UUID(), waiter: "")) }
        }
        let names = (0..<3).map { "kept-\($0)" }
        #expect(paths(&queue, 3) == (prioritization == .firstInFirstOut ? names : names.reversed()))
        #expect(paths(&queue, 1) == [nil])
    }

    @Test("An active download that is cancelled keeps its place, and an equal request begins a new download")
    func activeCancellation() throws {
        var queue = Queue(prioritization: .firstInFirstOut, maximumActiveDownloads: 1)
        let id = queue.add(try request("a"), id: UUID(), waiter: "1")
        let old = try #require(queue.next()?.number)
        _ = queue.cancel(id)
        _ = queue.add(try request("a"), id: UUID(), waiter: "2")
        #expect(queue.next() == nil)
        #expect(queue.finish(old) == nil)
        let new = try #require(queue.next()?.number)
        #expect(new != old && queue.finish(new)?.waiters == ["2"])
    }

    @Test("An identifier in use is replaced by another one, and can be used again after a cancellation")
    func identifiers() throws {
        var queue = Queue(prioritization: .firstInFirstOut, maximumActiveDownloads: 1)
        let id = UUID()
        #expect(queue.add(try request("a"), id: id, waiter: "1") == id)
        let other = queue.add(try request("b"), id: id, waiter: "2")
        #expect(other != id)
        #expect(queue.cancel(other)?.waiter == "2")
        #expect(queue.cancel(id)?.waiter == "1")
        #expect(queue.add(try request("a"), id: id, waiter: "3") == id)
    }
}
