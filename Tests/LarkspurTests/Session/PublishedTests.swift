import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

@Suite("Settings that many threads change", .timeLimit(.minutes(5)))
struct PublishedTests {
    /// Runs a closure on eight threads, a hundred times on each.
    private func onEightThreads(_ body: @escaping @Sendable (_ thread: Int, _ round: Int) -> Void) async throws {
        let done = Recorder<Int>()
        for number in 0..<8 {
            let thread = Thread {
                for round in 0..<100 { body(number, round) }
                done.record(number)
            }
            thread.start()
        }
        try await done.wait(for: 8)
    }

    @Test("Of 8 threads that add 100 headers each, none loses a header, while serializers change")
    func headers() async throws {
        let manager = SessionManager.stubbed()
        manager.headers = [:]
        manager.responseSerializer.acceptableContentTypes = []

        try await onEightThreads { thread, round in
            switch round % 3 {
            case 0: manager.headers["X-\(thread)-\(round)"] = "1"
            case 1: manager.requestSettings.headers["X-\(thread)-\(round)"] = "1"
            default: manager.requestSettings.headers.set(.init(name: "X-\(thread)-\(round)", value: "1"))
            }
            manager.requestSerializer = round.isMultiple(of: 2) ? .json : .form
            manager.responseSerializer.acceptableContentTypes?.insert(MediaRange("a/\(thread)-\(round)"))
        }

        #expect(manager.headers.count == 800)
        #expect(manager.responseSerializer.acceptableContentTypes?.count == 800)
    }

    @Test("Of 8 threads that extend one hook, none loses its extension")
    func hooks() async throws {
        let manager = SessionManager.stubbed()
        let calls = Recorder<Int>()

        try await onEightThreads { thread, round in
            manager.hooks.didFinish { calls.record(thread * 100 + round) }
        }
        manager.get("x") { _, _ in }
        try await manager.finishAll()
        try await calls.wait(for: 800)

        #expect(Set(calls.values).count == 800)
    }

    @Test("During a change, readers get the last value, and other writers wait")
    func readers() async throws {
        let manager = SessionManager.stubbed()
        manager.headers = ["X-Old": "1"]
        let (isIn, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let done = Recorder<String>()
        Thread {
            manager.headers.change {
                isIn.signal()
                mayLeave.wait()
                $0["X-First"] = "1"
            }
            done.record("first")
        }
        .start()
        await withCheckedContinuation { continuation in
            Thread {
                isIn.wait()
                continuation.resume()
            }
            .start()
        }
        #expect(manager.headers == ["X-Old": "1"])
        #expect(manager.hooks.didComplete == nil)
        Thread {
            manager.requestSettings.timeoutInterval = 7
            done.record("second")
        }
        .start()
        #expect(done.values.isEmpty)
        mayLeave.signal()
        try await done.wait(for: 2)

        #expect(manager.headers == ["X-Old": "1", "X-First": "1"])
        #expect(manager.requestSettings.timeoutInterval == 7)
    }

    @Test("A change may change other settings of the manager, and may throw")
    func nested() {
        struct Refusal: Error {}
        let manager = SessionManager.stubbed()

        #expect(throws: Refusal.self) {
            try manager.headers.change {
                manager.hooks.didComplete = { _, _ in }
                manager.responseSerializer = .data
                $0["X-A"] = "1"
                throw Refusal()
            }
        }
        manager.headers["X-B"] = "2"

        #expect(manager.hooks.didComplete != nil && manager.responseSerializer is DataResponseSerializer)
        #expect(manager.headers["X-A"] == "1" && manager.headers["X-B"] == "2")
    }

    @Test("A change that suspends and ends on another thread releases the lock")
    func suspended() async {
        let manager = SessionManager.stubbed()
        await manager.headers.changeLater()
        await Task.detached { manager.headers["X-B"] = "2" }.value
        #expect(manager.headers["X-A"] == "1" && manager.headers["X-B"] == "2")
    }

    @Test("Headers, authorization and settings stay when the serializers are replaced", arguments: 0..<3)
    func survival(_ index: Int) async throws {
        let requests = Recorder<URLRequest>()
        let manager = SessionManager.stubbed { request in
            requests.record(request)
            return .json("{}")
        }
        let serializers: [any RequestSerializer] = [.json, .propertyList, .form]
        manager.headers["X-Mine"] = "1"
        manager.requestSettings.setAuthorization(bearerToken: "token")
        manager.requestSettings.timeoutInterval = 7
        manager.requestSettings.queryEncoder.booleanStyle = .literal

        manager.requestSerializer = serializers[index]
        manager.post("x", parameters: ["a": 1]) { _, _ in }
        manager.get("x", parameters: ["a": true]) { _, _ in }
        try await manager.finishAll()

        #expect(requests.values.count == 2)
        for request in requests.values {
            #expect(request.headers["X-Mine"] == "1" && request.headers["Authorization"] == "Bearer token")
            #expect(request.timeoutInterval == 7)
        }
        let types = ["application/json", "application/x-plist", "application/x-www-form-urlencoded"]
        #expect(requests.values.contains { $0.headers["Content-Type"] == types[index] })
        #expect(requests.values.contains { $0.url?.query == "a=true" })
        manager.requestSettings.setAuthorization(username: "a", password: "b")
        #expect(manager.headers["Authorization"] == "Basic YTpi")
        manager.requestSettings.clearAuthorization()
        #expect(manager.headers["Authorization"] == nil)
        #expect(manager.copy().headers["X-Mine"] == "1")
    }
}

extension HTTPHeaders {
    fileprivate mutating func change(_ body: (inout HTTPHeaders) throws -> Void) rethrows { try body(&self) }

    fileprivate mutating func changeLater() async {
        for _ in 0..<100 { await Task.yield() }
        self["X-A"] = "1"
    }
}

extension SessionHooks {
    /// Adds a listener to the one that is there.
    fileprivate mutating func didFinish(then listener: @escaping @Sendable () -> Void) {
        let previous = didComplete
        didComplete = { task, error in
            previous?(task, error)
            listener()
        }
    }
}
