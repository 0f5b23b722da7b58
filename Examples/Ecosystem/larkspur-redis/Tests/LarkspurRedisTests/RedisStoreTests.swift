import Larkspur
import Testing

@testable import LarkspurRedis

@Suite("Stores and their connections", .timeLimit(.minutes(1)))
struct RedisStoreTests {
    private static let bucket = SharedBucket(interval: .seconds(1), capacity: .seconds(1))

    @Test("A new connection authenticates, chooses the database and loads the scripts in one round trip")
    func setUp() async throws {
        let server = try FakeServer { _, _ in .reply("+PONG\r\n") }
        defer { server.stop() }
        let url = server.url.replacingOccurrences(of: "//", with: "//larkspur:s3%20cret@") + "/7"
        _ = try await RedisStore(url).ping()
        let commands = server.commands
        #expect(commands.prefix(2) == [["AUTH", "larkspur", "s3 cret"], ["SELECT", "7"]])
        #expect(commands.dropFirst(2).dropLast().allSatisfy { $0.prefix(2) == ["SCRIPT", "LOAD"] })
        #expect(commands.last == ["PING"])
    }

    @Test(
        "An error of a new connection has no password",
        arguments: [
            "-WRONGPASS invalid password\r\n", "-ERR unknown command 'AUTH', with args: 's3cret'\r\n", "+OK\r\n",
        ]
    )
    func refusals(reply: String) async throws {
        let server = try FakeServer(refusal: reply) { _, _ in .close }
        defer { server.stop() }
        let store = try RedisStore(server.url.replacingOccurrences(of: "//", with: "//:s3cret@"))
        let error = await #expect(throws: RedisStoreError.self) { try await store.ping() }
        #expect(error?.code == .connectionFailed)
        #expect(error?.description.hasPrefix("Redis at 127.0.0.1:\(server.port)") == true)
        #expect(error.map { "\($0) \($0.localizedDescription)".contains("s3cret") } == false)
    }

    @Test("A server that does not listen is reported at once")
    func unreachable() async throws {
        let server = try FakeServer { _, _ in .close }
        server.stop()
        let store = try RedisStore(server.url, connectTimeout: .seconds(60), stepTimeout: .seconds(60))
        let error = await #expect(throws: RedisStoreError.self) { try await store.value(for: "a") }
        #expect(error?.code == .connectionFailed && error?.mayHaveBeenPerformed == false)
    }

    @Test("A script that the server does not know is sent with its text")
    func unknownScripts() async throws {
        let server = try FakeServer { _, command in
            .reply(command[0] == "EVALSHA" ? "-NOSCRIPT No matching script.\r\n" : ":5\r\n")
        }
        defer { server.stop() }
        let store = try RedisStore(server.url)
        #expect(try await store.takeToken(for: "a", from: Self.bucket, within: .zero) == .nanoseconds(5))
        let last = server.commands.suffix(2)
        #expect(last.map { $0[0] } == ["EVALSHA", "EVAL"])
        #expect(last.map { $0.dropFirst(2) }.allSatisfy { $0.prefix(2) == ["1", "larkspur:bucket:a"] })
    }

    @Test("A step of a value is sent again after a lost connection")
    func repeatedValue() async throws {
        let server = try FakeServer { connection, _ in connection == 1 ? .close : .reply("*2\r\n$-1\r\n$-1\r\n") }
        defer { server.stop() }
        #expect(try await RedisStore(server.url).value(for: "a") == nil)
    }

    @Test("A token is taken again after a lost connection, and not after a second loss")
    func lostToken() async throws {
        for losses in 1...2 {
            let server = try FakeServer { connection, _ in connection <= losses ? .close : .reply(":0\r\n") }
            defer { server.stop() }
            let store = try RedisStore(server.url)
            if losses == 2 {
                let error = await #expect(throws: RedisStoreError.self) {
                    try await store.takeToken(for: "a", from: Self.bucket, within: .zero)
                }
                #expect(error?.code == .connectionLost && error?.mayHaveBeenPerformed == true)
            }
            #expect(try await store.takeToken(for: "a", from: Self.bucket, within: .zero) == .zero)
        }
    }

    @Test("A replacement that may have been performed before another one is not reported as refused")
    func repeatedReplacement() async throws {
        let server = try FakeServer { connection, _ in connection == 1 ? .close : .reply(":0\r\n") }
        defer { server.stop() }
        let store = try RedisStore(server.url)
        let error = await #expect(throws: RedisStoreError.self) {
            try await store.replaceValue(for: "a", version: nil, with: Data(), lifetime: nil)
        }
        #expect(error?.mayHaveBeenPerformed == true)
        #expect(try await !store.replaceValue(for: "a", version: nil, with: Data(), lifetime: nil))
    }

    @Test("A silent server ends a step after its time, and the next step has a new connection")
    func silence() async throws {
        let server = try FakeServer { connection, _ in connection == 1 ? .ignore : .reply("+PONG\r\n") }
        defer { server.stop() }
        let store = try RedisStore(server.url, stepTimeout: .milliseconds(300))
        let error = await #expect(throws: RedisStoreError.self) {
            try await store.takeToken(for: "a", from: Self.bucket, within: .zero)
        }
        #expect(error?.code == .timedOut && error?.mayHaveBeenPerformed == true)
        _ = try await store.ping()
    }

    @Test("A store may have no limits", arguments: [(Duration.seconds(Int64.max), Int.max), (.seconds(1), -1)])
    func noLimits(timeout: Duration, size: Int) async throws {
        let server = try FakeServer { _, _ in .reply("+PONG\r\n") }
        defer { server.stop() }
        let store = try RedisStore(
            server.url,
            connectTimeout: timeout,
            stepTimeout: timeout,
            maximumValueSize: size
        )
        _ = try await store.ping()
    }

    @Test("A cancelled step ends at once")
    func cancellation() async throws {
        let (requests, continuation) = AsyncStream<Void>.makeStream()
        let server = try FakeServer { _, _ in
            continuation.yield()
            return .ignore
        }
        defer { server.stop() }
        let store = try RedisStore(server.url, stepTimeout: .seconds(60))
        let step = Task { try await store.value(for: "a") }
        for await _ in requests { break }
        step.cancel()
        await #expect(throws: CancellationError.self) { try await step.value }
    }

    @Test("A lease is released behind the step of a cancelled call")
    func cancelledLease() async throws {
        let (requests, continuation) = AsyncStream<[String]>.makeStream()
        let server = try FakeServer { _, command in
            continuation.yield(command)
            // The lease's reply comes with that of the release behind it.
            return command.count == 5 ? .reply("*2\r\n:1\r\n:42\r\n:1\r\n") : .ignore
        }
        defer { server.stop() }
        let store = try RedisStore(server.url, stepTimeout: .seconds(60))
        let step = Task { try await store.acquireLease(for: "a", duration: .seconds(1)) }
        var iterator = requests.makeAsyncIterator()
        let acquired = try #require(await iterator.next())
        step.cancel()
        await #expect(throws: CancellationError.self) { try await step.value }
        let released = try #require(await iterator.next())
        #expect(released.count == 5 && released.dropFirst(3) == acquired.dropFirst(3).prefix(2))
    }

    @Test("A lease whose reply does not arrive is released over the next connection", arguments: Loss.allCases)
    func unknownLease(loss: Loss) async throws {
        let (requests, continuation) = AsyncStream<(Int, [String])>.makeStream()
        // The second connection is refused, if the first is lost.
        let server = try FakeServer(refusal: "-ERR refused\r\n", of: loss == .closed ? 2...2 : 0...0) {
            number,
            command in
            continuation.yield((number, command))
            return number > 1 ? .reply(":1\r\n") : loss == .closed ? .close : .ignore
        }
        defer { server.stop() }
        func fail() async throws -> RedisStore {
            let store = try RedisStore(server.url, stepTimeout: .milliseconds(500))
            await #expect(throws: RedisStoreError.self) {
                try await store.acquireLease(for: "a", duration: .seconds(60))
            }
            return store
        }
        var store: RedisStore? = try await fail()
        if loss == .silentAndReleased { store = nil }
        var iterator = requests.makeAsyncIterator()
        let acquired = try #require(await iterator.next())
        // On the first connection the release follows the acquisition.
        while let (number, command) = await iterator.next() {
            #expect(command.count == 5 && command.dropFirst(3) == acquired.1.dropFirst(3).prefix(2))
            if number > 1 { break }
        }
        withExtendedLifetime(store) {}
    }

    @Test("A lease is released after an error within its script")
    func refusedLease() async throws {
        let (requests, continuation) = AsyncStream<[String]>.makeStream()
        let server = try FakeServer { _, command in
            continuation.yield(command)
            return .reply(command.count == 5 ? ":1\r\n" : "-ERR No permission script: 1, on @user_script:16.\r\n")
        }
        defer { server.stop() }
        let store = try RedisStore(server.url)
        let error = await #expect(throws: RedisStoreError.self) {
            try await store.acquireLease(for: "a", duration: .seconds(60))
        }
        #expect(error?.code == .refused && error?.mayHaveBeenPerformed == true)
        var iterator = requests.makeAsyncIterator()
        _ = await iterator.next()
        #expect(await iterator.next()?.count == 5)
    }

    enum Loss: CaseIterable { case closed, silent, silentAndReleased }

    @Test("Bytes that are no reply close the connection", arguments: ["no reply\r\n", "$99999999999999999999\r\n"])
    func invalidReplies(reply: String) async throws {
        let server = try FakeServer { connection, _ in .reply(connection == 1 ? reply : "+PONG\r\n") }
        defer { server.stop() }
        let store = try RedisStore(server.url)
        let error = await #expect(throws: RedisStoreError.self) { try await store.ping() }
        #expect(error?.code == .invalidReply && error?.mayHaveBeenPerformed == true)
        _ = try await store.ping()
    }

    @Test("A value that is too large occupies the connection of no other step, and the error has its size")
    func largeValue() async throws {
        let server = try FakeServer { _, command in .reply(command.last == "1048576" ? ":2000000\r\n" : ":0\r\n") }
        defer { server.stop() }
        let store = try RedisStore(server.url)
        let error = await #expect(throws: RedisStoreError.self) { try await store.value(for: "a") }
        #expect(error?.code == .valueTooLarge && error?.description.contains("2000000 bytes") == true)
    }

    @Test("A reply that is longer than any value closes the connection")
    func longReply() async throws {
        let server = try FakeServer { number, _ in
            .reply(number == 1 ? "$9000000\r\n" + String(repeating: "a", count: 1 << 20) : "+PONG\r\n")
        }
        defer { server.stop() }
        let store = try RedisStore(server.url, maximumValueSize: 1000)
        let error = await #expect(throws: RedisStoreError.self) { try await store.ping() }
        #expect(error?.code == .invalidReply)
        _ = try await store.ping()
    }

    @Test("A lost connection does not end the process, as the threads of stores block its signal")
    func signals() async throws {
        let server = try FakeServer { _, _ in .reply("+PONG\r\n") }
        defer { server.stop() }
        let store = try RedisStore(server.url)
        _ = try await store.ping()
        var count = 0
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
            // Threads of other tests may have ended.
            let path = "/proc/self/task/\(thread)/status"
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
            let fields = text.split(separator: "\n").map { $0.split(separator: ":\t").map(String.init) }
            // The system does not tell the signals of a thread that is ending, and counts no threads in its process.
            guard fields.contains(["Name", "larkspur-redis"]), !fields.contains(["Threads", "0"]) else { continue }
            let mask = fields.first { $0[0] == "SigBlk" }.flatMap { UInt64($0[1], radix: 16) } ?? 0
            #expect(mask & 1 << UInt64(SIGPIPE - 1) != 0)
            count += 1
        }
        #expect(count > 0)
        withExtendedLifetime(store) {}
    }

    @Test("Released stores leave no thread and no file descriptor")
    func release() async throws {
        let server = try FakeServer { _, _ in .reply("+PONG\r\n") }
        defer { server.stop() }
        let traces = try await withThrowingTaskGroup(of: Trace.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let store = try RedisStore(server.url, connectTimeout: .seconds(50), stepTimeout: .seconds(50))
                    _ = try await store.ping()
                    return Trace(store.box)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // The thread of a store has the box and the connection.
        while !Task.isCancelled, traces.contains(where: { $0.isPresent }) { await Task.yield() }
        #expect(!traces.contains { $0.isPresent })
        #expect(await server.waitForEnd(of: 100))
    }

    /// A box and its file descriptor.
    private struct Trace: Sendable {
        private weak let box: StepBox?
        private let path: String
        private let target: String?

        init(_ box: StepBox) {
            self.box = box
            path = "/proc/self/fd/\(box.wakeDescriptor)"
            target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        }

        /// Whether the box is there, or its descriptor is open.
        var isPresent: Bool {
            box != nil || target == nil || (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == target
        }
    }

    @Test("A replica closes the connection, so that a failover is followed")
    func replicas() async throws {
        let server = try FakeServer { connection, _ in
            .reply(connection == 1 ? "-READONLY You can't write against a read only replica.\r\n" : ":0\r\n")
        }
        defer { server.stop() }
        let store = try RedisStore(server.url)
        let error = await #expect(throws: RedisStoreError.self) {
            try await store.takeToken(for: "a", from: Self.bucket, within: .zero)
        }
        #expect(error?.code == .refused)
        #expect(try await store.takeToken(for: "a", from: Self.bucket, within: .zero) == .zero)
    }

    @Test("A permanent replica is not connected to for each step")
    func permanentReplica() async throws {
        let server = try FakeServer { _, _ in .reply("-READONLY You can't write against a read only replica.\r\n") }
        defer { server.stop() }
        let store = try RedisStore(server.url)
        var codes: [RedisStoreError.Code] = []
        for _ in 0..<2000 {
            let error = await #expect(throws: RedisStoreError.self) {
                try await store.takeToken(for: "a", from: Self.bucket, within: .zero)
            }
            codes += [error?.code].compactMap { $0 }
        }
        // The first attempts are refused, and then most fail during the pauses.
        #expect(codes.prefix(2) == [.refused, .refused])
        #expect(codes.count { $0 == .refused } < 100 && codes.contains(.connectionFailed))
    }
}
