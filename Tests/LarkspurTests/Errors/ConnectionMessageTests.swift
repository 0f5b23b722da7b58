import LarkspurTesting
import Testing

@testable import Larkspur

/// The messages of errors of connections, with each transport.
@Suite("Messages of connection errors", .timeLimit(.minutes(5)))
struct ConnectionMessageTests {
    @Test("The error of a refused connection names the host and the port", arguments: TestTransport.allCases)
    func refused(_ transport: TestTransport) async throws {
        let error = try #require(
            await transport.makeManager().get("http://ada:secret@127.0.0.1:1/x?k=1").response().error
        )
        #expect(error.code == .cannotConnectToHost)
        #expect(error.message.contains("127.0.0.1") && error.message.contains("1"))
        if transport != .foundation { #expect(error.message == "The server 127.0.0.1:1 refused the connection.") }
        #expect(error.description.hasPrefix("cannot-connect-to-host: \(error.message) ["))
        #expect(!"\(error) \(error as NSError)".contains("secret"))
    }

    @Test("The error of a host that is not found names the host", arguments: TestTransport.allCases)
    func notFound(_ transport: TestTransport) async throws {
        let error = try #require(await transport.makeManager().get("http://nowhere.invalid/x").response().error)
        #expect(error.code == .cannotFindHost)
        #expect(error.message.hasPrefix("The host could not be found (") && error.message.contains("nowhere.invalid"))
    }

    @Test(
        "If a server speaks http on a port for https, the message asks whether it is plain http",
        arguments: TestTransport.allCases
    )
    func plainText(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        let url = "https://127.0.0.1:\(server.port)/get"
        let error = try #require(await transport.makeManager().get(url).response().error)
        #expect(error.code == .secureConnectionFailed)
        #expect(error.message.contains("is this plain http?"), "\(error.message)")
        #expect(error.message.components(separatedBy: "secure connection").count == 2)
        if transport != .foundation { #expect(error.message.contains("the server 127.0.0.1:\(server.port) could")) }
    }

    @Test("The error of a lost connection keeps the reason", arguments: TestTransport.allCases)
    func lost(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        for fault in [LoopbackServer.Fault.closeBeforeHeader, .shortBody] {
            let error = try await transport.makeManager(for: server).call(.get, fault.path).error
            #expect(error?.code == .connectionLost)
            #expect(
                error?.message.hasPrefix("The connection ") == true || transport != .foundation,
                "\(error?.message ?? "")"
            )
            #expect(error?.message.contains("(") == true || error?.message.contains("content was complete") == true)
        }
    }

    @Test(
        "A transport's sentence becomes the message, and other texts follow in parentheses",
        arguments: [
            (NSURLErrorCannotConnectToHost, "The proxy 127.0.0.1:1 refused the connection.", nil),
            (
                NSURLErrorCannotConnectToHost, "Failed to connect",
                "The host could not be connected to (Failed to connect)."
            ),
            (
                NSURLErrorCannotConnectToHost, "The operation could not be completed. (NSURLErrorDomain error -1004.)",
                "The host could not be connected to."
            ),
            (
                NSURLErrorNetworkConnectionLost, "Empty reply",
                "The connection was lost before the response was complete (Empty reply)."
            ),
            (NSURLErrorServerCertificateHasBadDate, "The server's certificate has expired (x).", nil),
            (NSURLErrorSecureConnectionFailed, "No secure connection to the server a:1 could be made (x).", nil),
            (
                NSURLErrorSecureConnectionFailed, "SSL routines::wrong version number",
                "No secure connection could be made: is this plain http? (SSL routines::wrong version number)."
            ),
            (
                NSURLErrorTimedOut, "Not a byte came for 1 seconds.",
                "The request timed out (Not a byte came for 1 seconds)."
            ),
            (NSURLErrorTimedOut, "The server a:1 could not be connected to: Connection timed out.", nil),
            (NSURLErrorTimedOut, "Resolving timed out after 4 ms", "The request timed out."),
        ] as [(Int, String, String?)]
    )
    func sentences(number: Int, text: String, message: String?) {
        let error = NSError(domain: NSURLErrorDomain, code: number, userInfo: [NSLocalizedDescriptionKey: text])
        #expect(LarkspurError(transportError: error).message == message ?? text)
    }
}
