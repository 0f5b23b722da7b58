#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing

/// Streams of one HTTP/2 connection, each with a pace and an end of its own.
@Suite("Streams", .needsServers, .timeLimit(.minutes(5)))
struct StreamTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    @Test(
        "A slow consumer gets all content, and at most 2 MiB are buffered",
        arguments: [Servers.Port.http1, .h2]
    )
    func slowConsumer(_ port: Servers.Port) throws {
        let consumer = PacedConsumer()
        let session = servers.makeSession(delegate: consumer)
        let other = servers.makeSession()
        let task = session.dataTask(with: try servers.url(port, "/large"))
        task.resume()
        let pace = DispatchSemaphore(value: 0)
        let small = try servers.url(port, "/small")
        for _ in 0..<50 {
            try consumer.arrived.expectSignal()
            // The time of a round trip, in which the server would send a lot.
            other.dataTask(with: small) { _, _, _ in pace.signal() }.resume()
            try pace.expectSignal()
            consumer.permitted.signal()
        }
        consumer.permitAll()
        try consumer.ended.expectSignal()
        let result = consumer.result(of: task)
        #expect(result.error == nil)
        #expect(result.content == (try servers.contents(of: "content/large")))
        #expect(result.mostWaiting <= 2 << 20)
    }

    @Test("A stream that waits for its consumer gets all content while other streams continue on its connection")
    func waitingStream() throws {
        let consumer = PacedConsumer()
        let session = servers.makeSession(delegate: consumer)
        let url = try servers.url(.h2, "/large")
        let waiting = session.dataTask(with: url)
        waiting.resume()
        try consumer.arrived.expectSignal()
        // Their content is read from the same connection, and with it the content that waits. Their handlers wait for
        // the delegate too, so that only the numbers show how far they are.
        let original = try servers.contents(of: "content/large")
        let others = (0..<3).map { _ in session.dataTask(with: url) { _, _, _ in consumer.ended.signal() } }
        for task in others { task.resume() }
        let observer = servers.makeSession()
        let pace = DispatchSemaphore(value: 0)
        let small = try servers.url(.http, "/small")
        let limit = Date() + 60
        while !others.allSatisfy({ $0.countOfBytesReceived == original.count }) {
            try #require(Date() < limit, "The other streams do not go on.")
            observer.dataTask(with: small) { _, _, _ in pace.signal() }.resume()
            try pace.expectSignal()
        }
        consumer.permitAll()
        for _ in 0..<4 { try consumer.ended.expectSignal() }
        #expect(consumer.result(of: waiting).error == nil)
        let isWhole = consumer.result(of: waiting).content == original
        #expect(isWhole)
    }

    @Test("Cancelling a stream does not affect the other streams of its connection")
    func cancellation() throws {
        let consumer = PacedConsumer()
        let session = servers.makeSession(delegate: consumer)
        let url = try servers.url(.h2, "/large")
        let tasks = (0..<4).map { _ in session.dataTask(with: url) }
        for task in tasks { task.resume() }
        try consumer.arrived.expectSignal()
        let cancelled = try #require(tasks.first { $0.taskIdentifier == consumer.waitingTask })
        cancelled.cancel()
        consumer.permitAll()
        for _ in tasks { try consumer.ended.expectSignal() }
        let original = try servers.contents(of: "content/large")
        for task in tasks {
            let result = consumer.result(of: task)
            if task == cancelled {
                #expect((result.error as? URLError)?.code == .cancelled)
            } else {
                #expect(result.error == nil)
                // A comparison within `#expect` looks for the differences, which takes hours with so many bytes.
                let isWhole = result.content == original
                #expect(isWhole)
            }
        }
        let last = session.dataTask(with: try servers.url(.h2, "/small"))
        last.resume()
        try consumer.ended.expectSignal()
        #expect(consumer.result(of: last).content.count == 70)
        let ports = Set((tasks + [last]).flatMap(\.transactionMetrics).compactMap(\.localPort))
        #expect(ports.count == 1)
    }
}

extension DispatchSemaphore {
    /// Waits for a signal, for a minute at most. A thread that waits longer would keep the process from ending.
    fileprivate func expectSignal(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try #require(wait(timeout: .now() + 60) == .success, "There was no signal.", sourceLocation: sourceLocation)
    }
}
#endif
