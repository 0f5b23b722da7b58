import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Choice of the transport", .timeLimit(.minutes(5)))
struct TransportTests {
    private static func sessionType(_ transport: Transport) -> String {
        let session = transport.makeSession(.ephemeral, SessionDelegate(hooks: SessionHooksStore()) { _, _ in }, .main)
        defer { session.finishTasksAndInvalidate() }
        return "\(type(of: session))"
    }

    @Test("The engine carries requests if libcurl can be used, and otherwise Foundation does")
    func automatic() {
        #expect(Self.sessionType(.automatic) == "CurlURLSession")
        #expect(Self.sessionType(.best(isCurlAvailable: true)) == "CurlURLSession")
        #expect(Self.sessionType(.best(isCurlAvailable: false)) == "URLSession")
    }

    #if canImport(FoundationNetworking)
    @Test("If the libcurl of the environment cannot be used, Foundation's session does not replace it")
    func namedLibcurl() async {
        await #expect(processExitsWith: .success) {
            setenv("LARKSPUR_LIBCURL", "/missing/libcurl.so.4", 1)
            let manager = SessionManager()
            #expect(manager.session is CurlURLSession)
            let call = try await manager.call(.get, "http://localhost/")
            #expect(call.error?.code == .transportUnavailable)
            #expect(call.error?.message.contains("The libcurl in /missing/libcurl.so.4 cannot be loaded") == true)
        }
    }
    #endif

    @Test("The error of an unusable transport names the reason")
    func unavailable() async throws {
        let manager = SessionManager(
            transport: .custom { configuration, delegate, queue in
                CurlURLSession(
                    configuration,
                    delegate: delegate,
                    queue: queue,
                    options: CurlURLSession.Options(),
                    callsDelegateOnLoop: true,
                    unavailability: "libcurl is not installed (libcurl.so.4 cannot be loaded)."
                )
            }
        )

        let call = try await manager.call(.get, "http://localhost/")

        #expect(call.error?.code == .transportUnavailable)
        #expect(call.error?.message.contains("not installed") == true)
    }
}
