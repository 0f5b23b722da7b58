import LarkspurTesting
import Testing

@testable import Larkspur

/// What ends the process by FoundationNetworking's own doing, and cannot be had from above. When one of these fails, the toolchain has repaired it.
@Suite("Limits of FoundationNetworking", .timeLimit(.minutes(2)))
struct FoundationLimitTests {
    @Test("A connection that is closed in the header ends the process")
    func closeInHeader() async {
        await #expect(processExitsWith: .failure) {
            try await FoundationLimitTests.get(.closeInHeader)
        }
    }

    @Test("A trailer ends the process")
    func chunkTrailer() async {
        await #expect(processExitsWith: .failure) {
            try await FoundationLimitTests.get(.chunkTrailer)
        }
    }

    @Test("A length beyond what a Double holds ends the process")
    func hugeLength() async {
        await #expect(processExitsWith: .failure) {
            try await FoundationLimitTests.get(header: "Content-Length: 9223372036854775807")
        }
    }

    @Test("A redirect to an IPv6 host without a scheme ends the process")
    func redirectToAddress() async {
        await #expect(processExitsWith: .failure) {
            try await FoundationLimitTests.get(
                header: "Location: //[::1]:1/x\r\nContent-Length: 0",
                status: "302 Found"
            )
        }
    }

    @Test("The same request without a fault does not, so that these tests mean something")
    func control() async {
        await #expect(processExitsWith: .success) {
            try await FoundationLimitTests.get(header: "Content-Length: 0")
        }
    }

    private static func get(_ fault: LoopbackServer.Fault) async throws {
        let server = try LoopbackServer()
        _ = try await SessionManager(configuration: .ephemeral, transport: .foundation).call(
            .get,
            server.url(fault.path).absoluteString
        )
    }

    private static func get(header: String, status: String = "200 OK") async throws {
        let server = try LoopbackServer()
        server.route("/raw", .raw([.text("HTTP/1.1 \(status)\r\n\(header)\r\n\r\n")]))
        _ = try await SessionManager(configuration: .ephemeral, transport: .foundation).call(
            .get,
            server.url("/raw").absoluteString
        )
    }
}
