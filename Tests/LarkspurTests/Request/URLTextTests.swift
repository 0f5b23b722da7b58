import LarkspurCurlCommands
import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("URLs as strings", .timeLimit(.minutes(5)))
struct URLTextTests {
    private let server: LoopbackServer
    private static let text = "anything/a[b]?filter[name]=John%20Doe|x"
    private static let target = "/anything/a%5Bb%5D?filter%5Bname%5D=John%20Doe%7Cx"

    init() throws { server = try LoopbackServer() }

    @Test(
        "Every function of calls sends escapes unchanged, and escapes other characters once",
        arguments: TestTransport.allCases
    )
    func calls(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let absolute = server.baseURL.absoluteString + "/" + Self.text
        let folder = TemporaryFolder()

        _ = try await manager.get(Self.text).data
        _ = try await manager.get(" " + absolute + "\n").data
        _ = try await manager.post("/" + Self.text, body: .data(Data("x".utf8))).data
        _ = await manager.download(Self.text, to: .folder(folder.url)).response()
        _ = try await manager.get(Self.text, parameters: ["p[q]": "r%20"]).data

        #expect(
            server.requests.map(\.target) == Array(repeating: Self.target, count: 4) + [
                Self.target + "&p%5Bq%5D=r%2520"
            ]
        )
    }

    @Test("Escapes of a base URL string are sent unchanged", arguments: TestTransport.allCases)
    func base(_ transport: TestTransport) async throws {
        let manager = SessionManager(
            baseURL: server.baseURL.absoluteString + "/anything/[v]%20|",
            transport: transport.transport
        )

        _ = try await manager.get("a b").data

        #expect(server.requests.map(\.target) == ["/anything/%5Bv%5D%20%7C/a%20b"])
    }

    @Test("The next page of a list is requested with the escapes of its link", arguments: TestTransport.allCases)
    func pages(_ transport: TestTransport) async throws {
        server.route("/list", try .json(encoding: [1]).adding("Link", "</list/2?f[n]=a%20b|>; rel=next"))
        server.route("/list/2", try .json(encoding: [2]))
        var numbers: [Int] = []

        for try await page in transport.makeManager(for: server).pages("list", as: [Int].self, by: .links) {
            numbers += page
        }

        #expect(numbers == [1, 2])
        #expect(server.requests.map(\.target) == ["/list", "/list/2?f%5Bn%5D=a%20b%7C"])
    }

    #if canImport(FoundationNetworking)
    @Test("Event streams and WebSockets send the escapes of a URL string unchanged")
    func streams() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        server.route("/events", .text("data: 1\n\n").adding("Content-Type", "text/event-stream"))
        server.webSocket("/socket") { _ in }

        for try await _ in manager.events("events?a[b]=%20|") { break }
        let socket = manager.webSocket("socket?a[b]=%20|")
        try await socket.open()
        socket.cancel()

        #expect(server.requests.map(\.target) == ["/events?a%5Bb%5D=%20%7C", "/socket?a%5Bb%5D=%20%7C"])
    }
    #endif

    @Test("A command line for curl keeps the escapes of its URL")
    func command() throws {
        let command = try CurlCommand("curl -g 'http://a.test/x[1]/../b%20[2]?c[d]=%5B|'")
        #expect(command.request.url?.absoluteString == "http://a.test/b%20%5B2%5D?c%5Bd%5D=%5B%7C")
    }

    @Test(
        "A URL with a line break or an invalid host is an error before anything is sent",
        arguments: TestTransport.allCases,
        ["/get\nX: y", "http://x..localhost/", "http://1.2.3.4.5/"]
    )
    func refused(_ transport: TestTransport, _ text: String) async throws {
        let manager = transport.makeManager(for: server)

        let error = await #expect(throws: LarkspurError.self) { try await manager.get(text).data }

        #expect(error?.code == .invalidURL)
        #expect(server.requests.isEmpty)
    }

    #if canImport(FoundationNetworking)
    @Test("An error names a token or a URL that is too long to send")
    func tooLong() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let long = String(repeating: "a", count: 1 << 20)

        let token = await #expect(throws: LarkspurError.self) {
            try await manager.get("get", headers: ["Authorization": "Bearer " + long]).data
        }
        let url = await #expect(throws: LarkspurError.self) { try await manager.get("get?" + long).data }

        #expect(token?.code == .invalidHeaderField)
        #expect(token?.message.contains("header is too large") == true)
        #expect(url?.code == .invalidURL)
        #expect(url?.message.contains("URL is too long") == true)
        #expect(server.requests.isEmpty)
    }
    #endif

    @Test("A URL value is used unchanged", arguments: TestTransport.allCases)
    func value(_ transport: TestTransport) async throws {
        let url = try #require(URL(string: server.baseURL.absoluteString + "/anything/%5b%2525"))

        _ = try await transport.makeManager(for: server).get(url).data

        #expect(server.requests.map(\.target) == ["/anything/%5b%2525"])
    }
}
