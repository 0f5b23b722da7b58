import LarkspurTesting
import Testing

@testable import Larkspur

/// Faults of FoundationNetworking that end the process or burden it and cannot be avoided from above; each in a process
/// of its own. When one of those that end the process fails, the toolchain has repaired it.
@Suite("Limits of FoundationNetworking", .timeLimit(.minutes(5)))
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

    @Test("A length that a Double cannot hold exactly ends the process")
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

    @Test("A request without a fault does not end the process")
    func control() async {
        await #expect(processExitsWith: .success) {
            try await FoundationLimitTests.get(header: "Content-Length: 0")
        }
    }

    @Test("A header without an end leads to one failure, after seconds")
    func endlessHeader() async {
        await #expect(processExitsWith: .success) {
            try await FoundationLimitTests.checkAlone(.endlessHeader)
        }
    }

    @Test("Interim responses without an end lead to one failure, after seconds")
    func endlessInformational() async {
        await #expect(processExitsWith: .success) {
            try await FoundationLimitTests.checkAlone(.endlessInformational)
        }
    }

    /// What `ServerFaultTests` does with other faults, in a process that may not use up the machine's memory.
    private static func checkAlone(_ fault: LoopbackServer.Fault) async throws {
        var limit = rlimit(rlim_cur: 8 << 30, rlim_max: 8 << 30)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        let tests = try ServerFaultTests()
        try await tests.checkDataTask(.foundation, fault)
        try await tests.checkDownload(.foundation, fault)
    }

    private static func get(_ fault: LoopbackServer.Fault) async throws {
        endWithoutBacktrace()
        let server = try LoopbackServer()
        _ = try await SessionManager(configuration: .ephemeral, transport: .foundation).call(
            .get,
            server.url(fault.path).absoluteString
        )
    }

    private static func get(header: String, status: String = "200 OK") async throws {
        endWithoutBacktrace()
        let server = try LoopbackServer()
        server.route("/raw", .raw([.text("HTTP/1.1 \(status)\r\n\(header)\r\n\r\n")]))
        _ = try await SessionManager(configuration: .ephemeral, transport: .foundation).call(
            .get,
            server.url("/raw").absoluteString
        )
    }

    /// A backtrace of a process that is meant to end costs seconds.
    private static func endWithoutBacktrace() {
        for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV] { signal(number, SIG_DFL) }
    }
}
