#if os(Linux)
import Foundation
import Larkspur
import TestSupport
import Testing

extension NetworkFaultTests {
    /// A name server that is slow, silent, or lies. The system's resolver asks it, as libcurl does by default.
    @Suite("Name servers that are slow, silent or wrong")
    struct NameServerTests {
        private let server: NetworkServer

        init() async throws { server = try await NetworkServer.fresh() }

        /// A name, and the results that are possible: nil for a response.
        struct Name: Sendable {
            let label: String
            let codes: Set<LarkspurError.Code?>

            init(_ label: String, _ codes: LarkspurError.Code?...) {
                self.label = label
                self.codes = Set(codes)
            }
        }

        static let names = [
            Name("good", nil), Name("slow", nil), Name("forged", nil), Name("truncated", nil), Name("both", nil),
            Name("absent", .cannotFindHost), Name("failing", .cannotFindHost), Name("refusing", .cannotFindHost),
            Name("empty", .cannotFindHost), Name("loop", .cannotFindHost), Name("malformed", .cannotFindHost),
            Name("otherid", .cannotFindHost), Name("silent", .cannotFindHost),
            // The kernel or the limit ends the attempt to connect.
            Name("dead6", .timedOut, .cannotConnectToHost),
        ]

        @Test("Each name ends with its own result and message, and delays no other request of the session")
        func names() async throws {
            let manager = try server.makeManager(idle: .seconds(30))
            let tasks = try Self.names.map { name in
                let target = try NetworkServer.url("/digest/1/1", host: "\(name.label).test")
                return (name, manager.get(target).timeout(idle: name.label == "dead6" ? .seconds(2) : .seconds(30)))
            }
            let ends = tasks.map { name, task in (name, Task { await task.response().error }) }
            // These are answered while the resolver still waits for the silent server, four seconds long.
            for _ in 0..<10 { #expect(try await manager.get("digest/1/1").string.count == 64) }
            #expect(
                tasks.filter { $0.0.label == "silent" || $0.0.label == "otherid" }.allSatisfy { $0.1.state == .running }
            )
            for (name, end) in ends {
                let error = await end.value
                #expect(name.codes.contains(error?.code), "\(name.label): \(String(describing: error))")
                if let error {
                    #expect(error.message.contains("\(name.label).test"), "\(error.message)")
                }
            }
        }

        @Test("A name lookup counts for the limit of a call, and a cancellation ends the lookup at once")
        func limit() async throws {
            let manager = try server.makeManager(idle: .milliseconds(500))
            let url = try NetworkServer.url("/digest/1/1", host: "silent.test")
            let start = ContinuousClock.now
            let error = await manager.get(url).response().error
            #expect(error?.code == .timedOut)
            // The resolver itself would give up after four seconds, and report that the host was not found.
            #expect(error?.message.contains("silent.test") == true, "\(error?.message ?? "")")
            #expect(ContinuousClock.now - start < .seconds(60))
            let task = manager.get(url).timeout(idle: .seconds(60))
            task.resume()
            task.cancel()
            #expect(await task.response().error?.code == .cancelled)
            // The session is not held up by look-ups that nobody waits for.
            #expect(try await manager.get("digest/1/1").string.count == 64)
            manager.invalidate(cancelingTasks: true)
        }

        @Test("If a host's IPv6 address is unreachable, requests succeed over its IPv4 address, and fail without one")
        func otherFamily() async throws {
            let manager = try server.makeManager(host: "both.test", idle: .seconds(30))
            #expect(try await manager.get("digest/1/1").string.count == 64)
            let only = try server.makeManager(host: "dead6.test", idle: .seconds(1))
            let error = await only.get("digest/1/1").response().error
            #expect(error?.code == .timedOut || error?.code == .cannotConnectToHost, "\(String(describing: error))")
            #expect(error?.message.contains("dead6.test") == true, "\(error?.message ?? "")")
        }
    }
}
#endif
