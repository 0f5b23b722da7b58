#if os(Linux)
import Foundation
import Larkspur
import LarkspurTesting
import TestSupport
import Testing

extension HostileMachineTests {
    /// Allocations that fail in libcurl and in the C targets, by Scripts/Network/failing_allocations.c. If one of
    /// Swift's own fails, the process ends.
    @Suite("Allocations that fail")
    struct FailingAllocationTests {
        @Test("A failed allocation of libcurl or the C targets neither ends the process nor changes a response")
        func child() throws {
            let folder = try #require(NetworkPath.folder)
            try ChildRun.expectSuccess(
                of: "FailingAllocationChild",
                preloading: "\(folder)/libfailing_allocations.so"
            )
        }
    }
}

@Suite(
    "Child process whose allocations fail",
    .isChild("FailingAllocationChild"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct FailingAllocationChild {
    /// The library that was loaded before all others.
    private struct Allocations {
        typealias Choose = @convention(c) (Int32, Int32) -> Int
        typealias Begin = @convention(c) (Int, Int) -> Void
        typealias End = @convention(c) () -> Int

        typealias Spare = @convention(c) (Int) -> Void

        let begin: Begin
        let end: End

        init(_ owner: Owner) throws {
            func function<F>(_ name: String, as type: F.Type) throws -> F {
                unsafeBitCast(try #require(dlsym(nil, name)), to: type)
            }
            begin = try function("failing_allocations_begin", as: Begin.self)
            end = try function("failing_allocations_end", as: End.self)
            let choose = try function("failing_allocations_choose", as: Choose.self)
            // Two allocations end the process within libcurl: see Scripts/Reproductions/failed_allocation.c.
            let spare = try function("failing_allocations_spare", as: Spare.self)
            for size in [416, 56] { spare(size) }
            try #require(choose(owner == .libcurl ? 1 : 0, owner == .targets ? 1 : 0) > 0)
        }
    }

    enum Owner: String, CaseIterable, Sendable {
        case libcurl, targets
    }

    enum Exchange: String, CaseIterable, Sendable {
        case get, post, coded, download, secure, webSocket

        var isSecure: Bool { self == .secure }
    }

    private static let content = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 / 5) })

    private static func makeServer(_ exchange: Exchange) throws -> LoopbackServer {
        let server = try exchange.isSecure ? LoopbackServer(tls: .selfSigned()) : LoopbackServer()
        for path in ["/get", "/secure", "/download"] {
            var response = LoopbackServer.Response.data(content)
            response.headers["X-Test"] = "here"
            server.route(path, response)
        }
        server.route("/coded", .data(content).encoded(as: .gzip))
        server.route("/post") { request in .text("\(request.body == content)") }
        return server
    }

    /// Makes an exchange, and checks that it succeeds as it should, or fails with an error.
    /// - Returns: Whether it has succeeded.
    private static func perform(
        _ exchange: Exchange,
        _ manager: SessionManager,
        _ server: LoopbackServer,
        _ number: Int
    ) async throws -> Bool {
        do {
            switch exchange {
            case .get, .secure, .coded:
                let response = await manager.get(exchange.rawValue, headers: ["X-Number": "\(number)"])
                    .response(as: .data)
                if let error = response.error { throw error }
                #expect(try response.result.get() == content, "\(exchange) \(number)")
                if exchange != .coded {
                    #expect(response.httpResponse?.value(forHTTPHeaderField: "X-Test") == "here", "\(number)")
                }
            case .post:
                #expect(
                    try await manager.post("post", body: .data(content), headers: ["X-Number": "\(number)"]).string
                        == "true",
                    "\(number)"
                )
            case .download:
                let folder = TemporaryFolder()
                let target = folder.url.appendingPathComponent("file")
                let file = try await manager.download(
                    "download",
                    headers: ["X-Number": "\(number)"],
                    to: .file(target)
                ).file
                #expect(try Data(contentsOf: file) == content, "\(number)")
            case .webSocket:
                let socket = manager.webSocket("websocket/echo")
                defer { socket.cancel() }
                try await socket.send(String(repeating: "text", count: 100))
                #expect(try await socket.receive() == .text(String(repeating: "text", count: 100)), "\(number)")
            }
            // A request that has lost a field is not the one that was to be sent.
            if exchange != .webSocket {
                #expect(server.requests.last?.headers["X-Number"] == "\(number)", "\(exchange) \(number)")
            }
            return true
        } catch let error as LarkspurError {
            return error.code == .cancelled
        } catch is URLError {
            return false
        } catch is WebSocketError {
            return false
        }
    }

    @Test(
        "After each single failed allocation, the next exchange succeeds",
        arguments: Owner.allCases,
        Exchange.allCases
    )
    func each(_ owner: Owner, _ exchange: Exchange) async throws {
        let allocations = try Allocations(owner)
        let server = try Self.makeServer(exchange)
        defer { server.stop() }
        var options = CurlURLSession.Options()
        if let certificate = server.certificate {
            options.tls.trustedRoots = .only([try TLSCertificate(certificate.der)])
        }
        var (number, failures, survived) = (0, 0, 0)
        var hasFailed = true
        while hasFailed {
            number += 1
            let configuration = URLSessionConfiguration.testing
            configuration.urlCache = nil
            let manager = SessionManager(
                baseURL: server.baseURL,
                configuration: configuration,
                transport: .curl(options)
            )
            manager.timeouts.idle = .seconds(5)
            // Foundation's own session uses libcurl when it is created, and ends the process if that fails.
            _ = manager.session
            allocations.begin(number, 0)
            let succeeded = try await Self.perform(exchange, manager, server, number)
            hasFailed = allocations.end() > 0
            if hasFailed { failures += 1 }
            if succeeded, hasFailed { survived += 1 }
            // Whatever has failed is not remembered. Only a session that could not be made at all stays so.
            let next =
                owner == .libcurl ? manager : SessionManager(baseURL: server.baseURL, transport: .curl(options))
            #expect(try await Self.perform(exchange, next, server, -number), "\(owner) \(exchange) \(number)")
            for manager in [manager, next] { manager.invalidate(cancelingTasks: true) }
            guard number < 5000 else { break }
        }
        print("\(owner) \(exchange): \(failures) allocations have failed, \(survived) of them without an effect")
        // The engine itself allocates in C only for TLS, codings and messages.
        if owner == .libcurl { #expect(failures > 20) }
    }

    @Test("If one allocation in many fails, each of hundreds of exchanges ends", arguments: [3, 17, 101])
    func storm(distance: Int) async throws {
        let allocations = try Allocations(.libcurl)
        let server = try Self.makeServer(.get)
        defer { server.stop() }
        let manager = SessionManager(baseURL: server.baseURL, configuration: .testing, transport: .curl)
        // A socket of which libcurl could not tell the engine is silent.
        manager.timeouts.idle = .seconds(1)
        _ = manager.session
        allocations.begin(1, distance)
        for number in 0..<40 {
            _ = try await Self.perform(Exchange.allCases[number % 4], manager, server, number)
        }
        #expect(allocations.end() > 0)
        #expect(try await Self.perform(.get, manager, server, 1000))
    }
}
#endif
