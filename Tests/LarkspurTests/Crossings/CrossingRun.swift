#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur
@testable import LarkspurTransport

/// The servers of crossings.
struct CrossingServers: Sendable {
    let server: CrossingServer
    /// The port of Tests/Interop/Scripts/http2_server.py, and the certificate of its authority; nil where
    /// Tests/Interop/servers.sh has not started it, or libcurl is not trusted with HTTP/2.
    let http2: (port: Int, authority: TLSCertificate)?

    init() throws {
        server = try CrossingServer()
        guard let path = ProcessInfo.processInfo.environment["LARKSPUR_INTEROP"],
            HTTP2Judgement.ofLoadedLibcurl == .sound
        else {
            http2 = nil
            return
        }
        struct Description: Decodable {
            let ports: [String: Int]
        }
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        let description = try Data(contentsOf: folder.appendingPathComponent("servers.json"))
        let port = try JSONDecoder().decode(Description.self, from: description).ports["misbehaving"] ?? 0
        http2 = (port, try TLSCertificate(contentsOf: folder.appendingPathComponent("authority.pem")))
    }

    /// The choices on each axis of ``Crossing/axes`` that these servers have.
    var choices: [[Int]] {
        var choices = Crossing.axes.map { Array($0.values.indices) }
        let missing: [Crossing.Connection] =
            (http2 == nil ? [.http2] : []) + (server.certificate == nil ? [.tunnel] : [])
        choices[0].removeAll { missing.contains(Crossing.Connection.allCases[$0]) }
        if http2 == nil { choices[1].removeAll { Crossing.Response.allCases[$0].isOfHTTP2 } }
        return choices
    }
}

/// Performs the calls of a crossing with a session manager of its own, and checks what comes of them.
final class CrossingRun: Sendable {
    let crossing: Crossing
    let record: CrossingRecord
    let manager: SessionManager
    let clock = TestClock()
    let folder: URL
    private let servers: CrossingServers
    private let group = DispatchGroup()
    /// The work that has not ended, by its description.
    private let work = Mutex<[String: Int]>([:])
    private let ends = Mutex<[Int: Int]>([:])

    private static let lastNumber = Atomic(0)

    /// - Parameters:
    ///   - folder: A folder for files.
    init(_ crossing: Crossing, on servers: CrossingServers, in folder: URL) throws {
        self.crossing = crossing
        self.servers = servers
        self.folder = folder
        record = try CrossingRecord(crossing, number: Self.lastNumber.add(1, ordering: .relaxed).newValue)
        servers.server.add(record)
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache =
            crossing.surroundings == .cache ? URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil) : nil
        configuration.timeoutIntervalForRequest = 60
        // Over HTTP/2 a connection is enough.
        if crossing.connection != .http2 { configuration.httpMaximumConnectionsPerHost = 16 }
        if crossing.connection == .proxy || crossing.connection == .tunnel {
            let port = Int(servers.server.port)
            configuration.connectionProxyDictionary = [
                "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": port,
                "HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1", "HTTPSPort": port,
            ]
        }
        var options = CurlURLSession.Options()
        options.partialDownloadFolder = folder
        let roots = try servers.server.certificate.map { [try TLSCertificate($0)] } ?? []
        options.tls.trustedRoots = .only(roots + (servers.http2.map { [$0.authority] } ?? []))
        if crossing.connection == .http2 { options.http2 = .always }
        manager = SessionManager(
            configuration: configuration,
            transport: .curl(options),
            responseSerializer: DataResponseSerializer(),
            completionGroup: group
        )
        manager.reportsUnhandledFailures = false
        if crossing.order?.action == .expire { manager.clock = clock }
    }

    /// Performs the calls, and returns the violations of the rules.
    /// - Parameter limit: The seconds after which something that has not ended is a violation.
    func violations(limit: Double) async -> [String] {
        let found = Recorder<String>()
        let hasEnded = await TestSupport.ends(within: limit) {
            "\(self.crossing): \(self.description)"
        } _: {
            do { try await self.perform(found) } catch { found.record("the crossing itself: \(error)") }
        }
        if !hasEnded { found.record("has not ended: \(description)") }
        manager.invalidate(cancelingTasks: true)
        servers.server.remove(record)
        let twice = ends.withLock { $0.filter { $0.value > 1 }.keys.sorted() }
        return found.values + record.violations + (twice.isEmpty ? [] : ["calls \(twice) have ended more than once"])
    }

    /// The work that has not ended.
    private var description: String {
        work.withLock { $0.filter { $0.value > 0 }.keys.sorted().joined(separator: ", ") }
    }

    private func perform(_ found: Recorder<String>) async throws {
        if crossing.connection.isKept { try await prime() }
        let calls = (0..<crossing.calls).map { CrossingCall($0, of: self) }
        // The calls own this object, which owns their tasks and observers.
        defer {
            for call in calls { call.releaseTask() }
            manager.observers = []
        }
        if let order = crossing.order, order.place.isObserver {
            manager.observe { event in
                guard let kind = order.place.event, event.kind == kind, let call = event.crossingCall else { return }
                calls[call].reach(order.place, of: event.task)
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for call in calls {
                group.addTask { [self] in
                    begin("call \(call.number)")
                    let ending = await call.ending()
                    end("call \(call.number)")
                    let violations = CrossingRules(crossing: crossing).violations(
                        of: ending,
                        marker: marker(call.number),
                        hasContent: await mayHaveEnded(call.number, with: ending)
                    )
                    for violation in violations { found.record("call \(call.number): \(violation)") }
                }
            }
        }
        try await leaveGroup()
        try await waitForWriters()
        var violation = await violationOfNext()
        // An order from a hook may come after the end of its call.
        if crossing.order?.action == .invalidate, violation != nil { violation = await violationOfNext() }
        if let violation { found.record("the next request: \(violation)") }
    }

    /// Whether a success is possible, as the server has the content. It may read the end of it after its response.
    private func mayHaveEnded(_ call: Int, with ending: CrossingEnding) async -> Bool {
        guard case .success = ending, crossing.response == .early else { return record.maySucceed(call) }
        let deadline = ContinuousClock.now + .seconds(5)
        while !record.maySucceed(call), ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(1))
        }
        return record.maySucceed(call)
    }

    /// Makes as many connections as there are calls.
    private func prime() async throws {
        begin("first requests")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for call in 0..<crossing.calls {
                let url = try url("/prime/\(record.number)/\(call)?first", host: CrossingServer.host)
                group.addTask { [manager] in _ = try await manager.get(url).data }
            }
            try await group.waitForAll()
        }
        end("first requests")
    }

    private func leaveGroup() async throws {
        begin("completion group")
        let left = Recorder<Void>()
        group.notify(queue: .global()) { left.record(()) }
        try await left.wait()
        end("completion group")
    }

    private func waitForWriters() async throws {
        try await eventually { work.withLock { $0.allSatisfy { $0.value == 0 } } }
    }

    /// Performs a usual request, and returns what is wrong with it.
    func violationOfNext() async -> String? {
        begin("next request")
        defer { end("next request") }
        do {
            let response = await manager.get(try nextURL(), headers: ["X-Secret": "secret"]).response(as: .data)
            if let error = response.error { return "\(error)" }
            let content = String(decoding: response.data, as: UTF8.self)
            let isRight =
                crossing.connection == .http2
                ? content.contains(#""method": "GET""#) : content == CrossingRecord.response(to: "next")
            return isRight ? nil : content.debugDescription
        } catch {
            return "\(error)"
        }
    }

    // MARK: The work that has not ended

    func begin(_ description: String) { work.withLock { $0[description, default: 0] += 1 } }

    func end(_ description: String) { work.withLock { $0[description, default: 0] -= 1 } }

    /// Counts an end of a call. Returns whether it is the first one.
    func isFirstEnd(_ call: Int) -> Bool {
        ends.withLock { ends in
            ends[call, default: 0] += 1
            return ends[call] == 1
        }
    }

    // MARK: URLs

    func marker(_ call: Int) -> String { CrossingRecord.marker(record.number, call) }

    func url(of call: Int) throws -> URL {
        guard crossing.connection == .http2 else {
            let scheme = crossing.way == .webSocket ? "ws" : "http"
            return try url("/call/\(record.number)/\(call)?call=\(call)", scheme: scheme, host: CrossingServer.host)
        }
        var components = URLComponents()
        let key = "\(ProcessInfo.processInfo.processIdentifier)-\(marker(call))"
        components.queryItems = [
            URLQueryItem(name: "play", value: steps(call, key).joined(separator: ",")),
            URLQueryItem(name: "key", value: key), URLQueryItem(name: "call", value: "\(call)"),
        ]
        return try http2URL("/play?\(components.percentEncodedQuery ?? "")")
    }

    private func nextURL() throws -> URL {
        if crossing.connection == .http2 { return try http2URL("/echo") }
        // Through the proxy it is another server's.
        let host = crossing.connection == .proxy ? CrossingServer.otherHost : CrossingServer.host
        return try url("/next/\(record.number)/0?next", host: host)
    }

    private func http2URL(_ target: String) throws -> URL {
        guard let port = servers.http2?.port, let url = URL(string: "https://localhost:\(port)\(target)") else {
            throw URLError(.badURL)
        }
        return url
    }

    private func url(_ target: String, scheme: String = "http", host: String) throws -> URL {
        let origin =
            switch crossing.connection {
            case .proxy: "\(scheme)://\(host)"
            case .tunnel: "\(scheme)s://\(host)"
            default: "\(scheme)://127.0.0.1:\(servers.server.port)"
            }
        guard let url = URL(string: origin + target) else { throw URLError(.badURL) }
        return url
    }

    /// The steps of Scripts/http2_server.py with which a call over HTTP/2 is answered.
    private func steps(_ call: Int, _ key: String) -> [String] {
        let content = record.contents[call]
        let kind = crossing.body == .form ? CrossingContent.boundary : "\(content.blockSize ?? 0)"
        let size = crossing.body == .form ? content.chunks.reduce(0) { $0 + $1.count } : content.bytes.count
        let exact = "exact:\(marker(call)):\(size):\(kind):\(content.mayEndEarly ? 1 : 0)"
        let reply = "reply:\(marker(call))"
        let name = key.split(separator: "-").dropLast().joined(separator: "-")
        let hasMore = size > 1_000
        switch crossing.response {
        case .ordinary, .expectationFailed, .earlyClosing: return [exact, reply]
        case .interim: return ["head:103:link=a", "send", exact, "head:102", reply]
        case .held:
            // A call that may fail may do so before its request.
            let mayMiss = !CrossingRules(crossing: crossing).permittedFailures.isEmpty
            return [exact, "arrive:\(name):\(crossing.calls)\(mayMiss ? ":0.2" : "")", reply]
        case .early:
            record.noteEarly(call)
            // As RFC 9113, section 8.1, has it: the client need not send the rest.
            return [reply, "rst:0"]
        // A request may have the credentials that another one was asked for.
        case .challenge: return ["anonymous:2", "body", "final:401:www-authenticate=Basic realm=a", exact, reply]
        case .redirect: return ["once:\(key):2", "body", "redirect", exact, reply]
        case .silence: return ["body", "rst:2"]
        case .cut:
            return [exact, "head:200:content-length=61000"] + Array(repeating: "data:15000", count: 4) + ["rst:2"]
        case .refusedStream: return ["once:\(key):2", hasMore ? "body:1000" : "send", "refuse", exact, reply]
        // A second GOAWAY must not include more streams than the first one.
        case .goAwayBefore where crossing.calls > 1: return ["once:\(name):2", "goaway:0:0", "close", exact, reply]
        case .goAwayBefore:
            return ["once:\(name):3", hasMore ? "body:1000" : "send", "goaway:0:0", "close", exact, reply]
        case .goAwayAfter:
            return ["once:\(name):1", "goaway:\(crossing.calls > 1 ? "2147483647" : "this"):0", exact, reply]
        }
    }
}

extension Crossing.Place {
    /// The event at which an observer acts.
    fileprivate var event: CallEvent.Kind? {
        switch self {
        case .created: .created
        case .attempt: .attemptStarted
        case .head: .responseReceived
        case .completed: .completed
        default: nil
        }
    }
}

extension CallEvent {
    /// The number of the crossing's call that the event is about.
    fileprivate var crossingCall: Int? {
        guard let url = task?.originalRequest?.url ?? request?.url else { return nil }
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems
        return items?.first { $0.name == "call" }?.value.flatMap { Int($0) }
    }
}
#endif
