#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import LarkspurTransport

/// The OpenSSLs of a process, and their clean-up when it ends.
private enum OpenSSL {
    private static func functions<F>(_ name: String, as type: F.Type) throws -> [F] {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
        let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let paths = Set(maps.split(separator: "\n").compactMap { $0.split(separator: " ").last }.map(String.init))
        return paths.filter { $0.contains("/libcrypto") }.compactMap { path in
            guard let library = dlopen(path, RTLD_NOW | RTLD_NOLOAD), let function = dlsym(library, name) else {
                return nil
            }
            return unsafeBitCast(function, to: type)
        }
    }

    /// Begins to use OpenSSL, as a program may do.
    static func begin() throws {
        typealias Begin = @convention(c) (UInt64, UnsafeRawPointer?) -> Int32
        let functions = try functions("OPENSSL_init_crypto", as: Begin.self)
        try #require(!functions.isEmpty && functions.allSatisfy { $0(0, nil) == 1 })
    }

    /// Makes OpenSSL call a function when it begins to clean up, after the functions that were registered later.
    static func atCleanUp(_ function: @escaping @convention(c) () -> Void) throws {
        typealias Register = @convention(c) (@convention(c) () -> Void) -> Int32
        let functions = try functions("OPENSSL_atexit", as: Register.self)
        try #require(!functions.isEmpty && functions.allSatisfy { $0(function) == 1 })
    }
}

/// The number of times that a job has run on the thread of a session.
private let turns = Atomic(0)
/// The session that a function without a context uses.
private let usedSession = Mutex<(session: CurlURLSession, server: LoopbackServer)?>(nil)

@Suite("Processes that end while sessions are running", .timeLimit(.minutes(5)))
struct ProcessEndTests {
    private static func makeServer() throws -> LoopbackServer {
        let server = try LoopbackServer(tls: .selfSigned())
        server.route("/large", .data(Data(repeating: 1, count: 32 << 20)))
        return server
    }

    /// - Parameter certificate: The certificate of the server; nil for a session that trusts none.
    private static func makeSession(
        trusting certificate: Data?,
        delegate: (any URLSessionDelegate)? = nil
    ) throws -> CurlURLSession {
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only(try certificate.map { [try TLSCertificate($0)] } ?? [])
        return CurlURLSession(configuration: .testing, delegate: delegate, options: options)
    }

    /// Waits until another thread has ended the process.
    private static func waitForEnd() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
    }

    // MARK: OpenSSL's clean-up

    enum FirstUse: String, CaseIterable, Sendable {
        case session, sharedSession, stub, server
    }

    @Test(
        "OpenSSL frees nothing at the end of a process, whatever part of Larkspur uses it first",
        arguments: FirstUse.allCases
    )
    func prevention(_ first: FirstUse) async {
        await #expect(processExitsWith: .success) { [name = first.rawValue as String] in
            switch FirstUse(rawValue: name) {
            case .session: _ = CurlURLSession(configuration: .testing)
            case .sharedSession: _ = CurlURLSession.shared
            case .stub: _ = StubURLSession { _ in .text("") }
            case .server: _ = try LoopbackServer(tls: .selfSigned())
            case nil: Issue.record()
            }
            let server = try Self.makeServer()
            let session = try Self.makeSession(trusting: server.certificate?.der)
            #expect(try await session.outcome(of: server.url("/get")).status == 200)
            try OpenSSL.atCleanUp { _exit(3) }
        }
    }

    @Test("A function of atexit can still make requests")
    func requestAtExit() async {
        await #expect(processExitsWith: .success) {
            let server = try Self.makeServer()
            atexit {
                guard let used = usedSession.withLock({ $0 }) else { _exit(3) }
                let end = DispatchSemaphore(value: 0)
                used.session.dataTask(with: used.server.url("/get")) { _, response, _ in
                    if (response as? HTTPURLResponse)?.statusCode == 200 { end.signal() } else { _exit(4) }
                }.resume()
                end.wait()
            }
            let session = try Self.makeSession(trusting: server.certificate?.der)
            usedSession.withLock { $0 = (session, server) }
        }
    }

    // MARK: A clean-up that cannot be prevented

    @Test("If OpenSSL was used before, the threads of sessions stop before it frees its memory")
    func stop() async {
        await #expect(processExitsWith: .success) {
            try OpenSSL.begin()
            try OpenSSL.atCleanUp {
                let seen = turns.load(ordering: .relaxed)
                for _ in 0..<100_000 where turns.load(ordering: .relaxed) == seen { sched_yield() }
                if turns.load(ordering: .relaxed) != seen { _exit(3) }
            }
            for _ in 0..<3 {
                let session = try Self.makeSession(trusting: nil)
                Task(executorPreference: session.executor) {
                    while true {
                        turns.add(1, ordering: .relaxed)
                        await Task.yield()
                    }
                }
            }
            try await eventually(in: 1000...) { turns.load(ordering: .relaxed) }
        }
    }

    @Test("A task on a session's thread can end the process without a deadlock")
    func ownThread() async {
        await #expect(processExitsWith: .success) {
            try OpenSSL.begin()
            let session = try Self.makeSession(trusting: nil)
            let other = try Self.makeSession(trusting: nil)
            await Task(executorPreference: other.executor) {}.value
            Task(executorPreference: session.executor) { exit(EXIT_SUCCESS) }
            await Self.waitForEnd()
        }
    }

    @Test("A process can end while a session's thread is blocked in the caller's code")
    func blockedThread() async {
        await #expect(processExitsWith: .success) {
            try OpenSSL.begin()
            let session = try Self.makeSession(trusting: nil)
            let begin = DispatchSemaphore(value: 0)
            Task(executorPreference: session.executor) {
                begin.signal()
                while true { pause() }
            }
            try await eventually { begin.wait(timeout: .now()) == .success }
        }
    }

    // MARK: Stress

    /// The number of times that each kind of end is tried. `Tests/Interop/exits.sh` sets it, and loads a library that
    /// makes OpenSSL's clean-up slow.
    private static let rounds: Int = {
        let environment = ProcessInfo.processInfo.environment
        if let library = environment["LARKSPUR_EXIT_LIBRARY"] { setenv("LD_PRELOAD", library, 1) }
        return environment["LARKSPUR_EXIT_ROUNDS"].flatMap { Int($0) } ?? 1
    }()

    enum Work: String, CaseIterable, Sendable {
        case transfers, handshakes
    }

    enum Place: String, CaseIterable, Sendable {
        case mainThread, otherThread, sessionThread
    }

    /// Repeats requests until the process ends.
    private final class Repetition: NSObject, URLSessionDataDelegate, Sendable {
        let events = Atomic(0)

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            events.add(1, ordering: .relaxed)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            // A failure that the end of the process has caused is no fault.
            if error == nil, let request = task.originalRequest { session.dataTask(with: request).resume() }
        }
    }

    /// Begins work, and returns a session when it is busy.
    private static func begin(_ work: Work, _ base: String, _ certificate: Data?) async throws -> CurlURLSession {
        let repetition = Repetition()
        let session = try makeSession(trusting: certificate, delegate: repetition)
        var request = URLRequest(url: try #require(URL(string: "\(base)/\(work == .transfers ? "large" : "get")")))
        if work == .handshakes { request.setValue("close", forHTTPHeaderField: "Connection") }
        for _ in 0..<6 { session.dataTask(with: request).resume() }
        try await eventually(in: 30...) { repetition.events.load(ordering: .relaxed) }
        return session
    }

    @Test(
        "A process that ends during transfers or TLS handshakes does not crash",
        arguments: [false, true].flatMap { isBegun in
            Work.allCases.flatMap { work in Place.allCases.map { (isBegun, work, $0) } }
        }
    )
    func stress(isBegun: Bool, work: Work, place: Place) async throws {
        let server = try Self.makeServer()
        defer { server.stop() }
        let certificate = try #require(server.certificate?.der.base64EncodedString())
        var failures = 0
        for _ in 0..<Self.rounds {
            let result = await #expect(processExitsWith: .success, observing: [\.exitStatus]) {
                [
                    isBegun = isBegun as Bool, work = work.rawValue as String, place = place.rawValue as String,
                    base = server.url("").absoluteString as String, certificate = certificate as String
                ] in
                if isBegun { try OpenSSL.begin() }
                let work = try #require(Work(rawValue: work))
                let session = try await Self.begin(work, base, Data(base64Encoded: certificate))
                switch Place(rawValue: place) {
                case .mainThread: DispatchQueue.main.async { exit(EXIT_SUCCESS) }
                case .otherThread: Thread.detachNewThread { exit(EXIT_SUCCESS) }
                case .sessionThread: Task(executorPreference: session.executor) { exit(EXIT_SUCCESS) }
                case nil: Issue.record()
                }
                await Self.waitForEnd()
            }
            if result == nil { failures += 1 }
        }
        if Self.rounds > 1 { print("\(work) \(place) \(isBegun ? "begun" : "first"): \(failures) of \(Self.rounds)") }
    }
}
#endif
