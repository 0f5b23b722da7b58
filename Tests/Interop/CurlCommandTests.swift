#if canImport(FoundationNetworking)
@testable import LarkspurCurlCommands
import Foundation
import Larkspur
import LarkspurTesting
import Testing

/// Command lines that a shell and curl run, beside the requests that are made of them.
@Suite("Command lines for curl", .needsServers, .timeLimit(.minutes(5)))
struct CurlCommandTests {
    let server: LoopbackServer
    let manager = SessionManager()

    init() throws { server = try LoopbackServer() }

    /// The parts of a request that the command, and not the client, decides about.
    private struct Received: Equatable {
        let method: String
        let target: String
        let fields: [String]
        let body: Data

        init(_ request: LoopbackServer.Request, without names: Set<String>) {
            method = request.method
            // curl 7.88 changes the case of escapes in a query.
            target = request.target.replacing(/%[0-9a-f]{2}/) { $0.output.uppercased() }
            fields = request.headers.map { "\($0.name.lowercased()): \($0.value)" }
                .filter { !names.contains(String($0.prefix { $0 != ":" })) }.sorted()
            body = request.body
        }
    }

    private func run(_ command: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        // Longer than an argument may be.
        let script = FileManager.default.temporaryDirectory.appendingPathComponent("curl-\(UUID().uuidString).sh")
        try Data(command.utf8).write(to: script)
        defer { try? FileManager.default.removeItem(at: script) }
        process.arguments = [script.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(command)")
    }

    /// Sends a request, whatever the answer.
    private func send(_ request: URLRequest) async {
        await withCheckedContinuation { continuation in
            manager.dataTask(with: request, as: .data) { _ in continuation.resume() }.resume()
        }
    }

    /// Compares the last two requests, apart from the fields that each client adds by itself.
    private func compare(_ request: URLRequest, _ command: String) throws {
        let own: Set<String> = ["accept", "accept-encoding", "accept-language", "user-agent"]
        let given = Set((request.allHTTPHeaderFields ?? [:]).keys.map { $0.lowercased() })
        let received = server.requests.map { Received($0, without: own.subtracting(given)) }
        try #require(received.count == 2, "\(command)")
        #expect(received[0] == received[1], "\(command)")
        server.clearRequests()
    }

    @Test("A command that a shell runs sends the same request as the session")
    func described() async throws {
        var requests: [URLRequest] = []
        func add(_ method: String, _ path: String, _ fields: [String: String] = [:], _ body: Data? = nil) {
            var request = URLRequest(url: server.url(path))
            request.httpMethod = method
            for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
            if let body { request.httpBody = body }
            requests.append(request)
        }
        add("GET", "/a?b=c&d=%20e'f")
        add("HEAD", "/a")
        add("DELETE", "/a", ["X-Quote": "it's \"$HOME\" `id` \\ !", "X-Empty": ""])
        add("POST", "/a", ["Content-Type": "application/json"], Data(#"{"a":"it's","b":["\\n",1]}"#.utf8))
        add("PUT", "/a", ["Content-Type": "text/plain"], Data("@first\nsecond %s \\n\n".utf8))
        add("PATCH", "/a", ["Content-Type": "a/b"], Data((0...255).map { UInt8($0) }))
        add("POST", "/a", ["Content-Type": "a/b"], Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }))
        add("POST", "/a", ["Content-Type": "text/plain"], Data())
        add("GET", "/a", ["X-Percent": "%s \\0 é"])
        add("QUERY", "/a/%5B1%5D/%7Bx%7D", ["Content-Type": "text/plain"], Data("q".utf8))
        for request in requests {
            let command = request.cURLDescription(redaction: .none)
            try run(command)
            await send(request)
            try compare(request, String(command.prefix(300)))
        }
    }

    @Test("The request of a parsed command is the one that curl sends")
    func read() async throws {
        let base = server.url("/").absoluteString
        let place = "\(server.url("/").host ?? ""):\(server.port)"
        let commands = [
            "curl -L -H 'Accept: application/vnd.api+json' -H \"Authorization: Bearer $TOKEN\" -H 'X-Api-Version: 2022-11-28' URLrepos/a/b/issues",
            "curl -L -X POST -H 'Authorization: Bearer t' URLrepos/a/b/issues -d '{\"title\":\"Found a bug\",\"labels\":[\"bug\"]}'",
            "curl URLv1/charges -u sk_test_abc: -d amount=2000 -d currency=eur -d 'description=It'\\''s' -d 'metadata[order]=6735'",
            "curl -X PUT \"URLindex/_doc/1?pretty\" -H 'Content-Type: application/json' -d'\n{\n  \"user\": \"ada\"\n}\n'",
            "curl -G URLsearch --data-urlencode 'q=swift & linux' --data-urlencode 'lang=é' -d page=2",
            "curl 'URLgraphql' -H 'content-type: application/json' -H 'origin: https://h.test' -b 'a=1; b=2' --data-raw '{\"query\":\"{ me }\"}' --compressed",
            "curl --json '{\"tool\": \"curl\"}' URLpost",
            "curl -I URLhead", "curl -sSfo /dev/null URLget 2>/dev/null", "curl --request DELETE --url URLitems/1",
            "curl -e 'https://from.test/;auto' -A 'Tool/1.0 (x)' URLget",
            "curl -H 'Accept;' -H 'X-A: 1' -H 'X-B:' URLget",
            "curl --data-binary $'a\\tb\\n' -H Content-Type:text/plain URLpost".replacing(
                "$'a\\tb\\n'",
                with: "'a\tb\n'"
            ),
            "curl http://ada:s%40c%3Aret@PLACE/get -H 'X-A: b'",
            "curl http://ada@PLACE/get",
            "curl http://:@PLACE/get",
            "curl -u other:one http://ada:p@PLACE/get",
            "curl --oauth2-bearer t http://ada:p@PLACE/get",
            "curl -H Authorization: http://ada:p@PLACE/get",
            "curl -e ';auto' URLget", "curl -e '' URLget", "curl -H 'Host: a.test' -H 'HOST: b.test' URLget",
            "curl -G --no-get -d a=1 URLpost",
            "curl URLa/../b/./c/..?x=/../y", "curl --path-as-is URLa/../b/./c", "curl URL../..//a/%2e%2e/b/.",
            "curl -XPOST -d '' URLpost", "curl -d a=1 -d b=2 -X PATCH URLpost", "curl --oauth2-bearer t URLget",
            "curl \\\n  -H 'X-A: b' \\\n  'URLget?x=1&y=2' \\\n  | cat",
        ]
        for command in commands.map({ $0.replacing("URL", with: base).replacing("PLACE", with: place) }) {
            try run("TOKEN=t0; " + command)
            let read = try CurlCommand(command, variables: ["TOKEN": "t0"])
            await send(read.request)
            try compare(read.request, command)
        }
    }
}
#endif
