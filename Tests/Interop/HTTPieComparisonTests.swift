#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import TestSupport
import Testing

/// The program larkspur beside HTTPie: the requests of the same arguments, and the exit statuses.
@Suite("The program beside HTTPie", .needsServers, .timeLimit(.minutes(10)))
struct HTTPieComparisonTests {
    /// A command line, and the difference between the two programs that is known and documented.
    struct Sample: Sendable {
        enum Difference: String, Sendable {
            case none
            /// The body, and the fields that describe it.
            case body
            /// The requests after the first one.
            case method
        }

        let line: String
        let difference: Difference

        init(_ line: String, _ difference: Difference = .none) {
            self.line = line
            self.difference = difference
        }
    }

    static let samples: [Sample] = [
        Sample("SERVER/get"), Sample("GET SERVER/get a==1 b==é&"), Sample("HEAD SERVER/get"),
        Sample("DELETE SERVER/delete", .body), Sample("PURGE SERVER/get", .body),
        Sample("SERVER/get X-A:1 X-Empty; Accept:text/plain"), Sample("SERVER/get User-Agent:me Referer:"),
        Sample("user:pass@SERVER/get"), Sample("--json SERVER/get"), Sample("SERVER/post name=Ada"),
        Sample("SERVER/post age:=36 ok:=true none:=null list:=[1,\"a\"]"),
        Sample("SERVER/post a[b][c]=1 list[]=x list[]=y list[3]:=4"), Sample("SERVER/post []=1 [][a]:=2"),
        Sample("SERVER/post text=é😀\\n"), Sample("SERVER/post a\\=b=c x\\:y=z k\\[0\\]=v"),
        Sample("PUT SERVER/put n:=2.50", .body), Sample("--raw {\"x\":1} SERVER/post"),
        Sample("SERVER/post @file.txt"), Sample("SERVER/post t=@file.txt j:=@data.json"),
        Sample("-f SERVER/post name=Ada city=São&Paulo"), Sample("-f SERVER/post"),
        Sample("-f --boundary=xyz SERVER/post a=1 f@file.txt b=2"),
        Sample("--multipart --boundary=xyz SERVER/post a=1"), Sample("--chunked SERVER/post a=b"),
        Sample("-x --raw aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa SERVER/post", .body),
        Sample("-a user:pass SERVER/basic-auth/user/pass"), Sample("-A bearer -a token SERVER/bearer"),
        Sample("-A digest -a user:pass SERVER/digest-auth/auth/user/pass"), Sample("--follow SERVER/redirect/2"),
        Sample("--follow POST SERVER/redirect-to?status_code=307&url=/post a=b"),
        Sample("--follow POST SERVER/redirect-to?status_code=303&url=/get a=b"),
        Sample("--follow PUT SERVER/redirect-to?status_code=302&url=/anything a=b", .method),
        Sample("--follow --max-redirects=2 SERVER/redirect/5"), Sample("--check-status SERVER/status/302"),
        Sample("--check-status SERVER/status/404"), Sample("--check-status SERVER/status/503"),
        Sample("--timeout=0.5 SERVER/delay/30"), Sample("127.0.0.1:1/"), Sample("SERVER/get nonsense"),
        Sample("-d -o new.bin SERVER/file"), Sample("-d -c -o part.bin SERVER/file"), Sample("--offline SERVER/get"),
    ]

    let server: LoopbackServer
    let folder = TemporaryFolder()
    let httpie: URL
    let larkspur = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("larkspur")

    init() throws {
        httpie = try Servers().file("python/bin/http")
        server = try LoopbackServer()
        var file = LoopbackServer.Response.data(Self.content)
        file.acceptsRanges = true
        server.route("/file", file)
        server.route("/anything", .json("{}"))
        _ = try folder.file("file.txt", Data("some text".utf8))
        _ = try folder.file("data.json", Data(#"{"z": [1, null], "a": "é"}"#.utf8))
    }

    private static let content = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 / 3) })

    /// The parts of a request that the arguments decide about.
    private struct Received: Equatable, CustomStringConvertible {
        var method: String
        let target: String
        var fields: [String]
        var body: Data

        init(_ request: LoopbackServer.Request) {
            method = request.method
            target = request.target
            // Each program names itself. Connection is the default; HTTPie knows no languages.
            let own: Set<String> = ["connection", "accept-language"]
            fields = request.headers.compactMap { field in
                let name = field.name.lowercased()
                if own.contains(name) || name == "user-agent" && field.value.contains("/") { return nil }
                // Nonces are random.
                let isDigest = name == "authorization" && field.value.hasPrefix("Digest ")
                // HTTPie asks for more codings if other packages of Python can decode them.
                let value = field.value.replacing(/^gzip, deflate(, (br|zstd))*$/, with: "gzip, deflate")
                return "\(name): \(isDigest ? "Digest" : value)"
            }
            .sorted()
            body = request.body
        }

        /// The request without a part in which the programs differ.
        func without(_ difference: Sample.Difference) -> Self {
            var received = self
            let names = ["content-length:", "content-encoding:", "content-type:"]
            switch difference {
            case .none: return self
            case .body: break
            case .method: received.method = ""
            }
            received.fields.removeAll { field in names.contains { field.hasPrefix($0) } }
            received.body = Data()
            return received
        }

        var description: String {
            "\(method) \(target) \(fields) \(String(decoding: body, as: UTF8.self).debugDescription)"
        }
    }

    /// The variables that a program needs to run as this process does, those of the sanitizers among them.
    private static let inherited: Set = ["LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS"]

    /// Runs a program, and returns its exit status and what it has printed.
    private func run(_ program: URL, _ line: String, at port: Int) throws -> (status: Int32, output: Data) {
        let output = Pipe()
        let process = Process()
        process.executableURL = program
        let words = line.split(separator: " ").map { String($0).replacing("SERVER", with: "127.0.0.1:\(port)") }
        process.arguments = ["--ignore-stdin"] + words
        process.currentDirectoryURL = folder.url
        process.environment = [
            "PATH": "/usr/bin:/bin", "HOME": folder.url.path, "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
        ]
        .merging(ProcessInfo.processInfo.environment.filter { Self.inherited.contains($0.key) }) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, data)
    }

    /// Runs a program, and returns its exit status and the requests that the server got.
    private func exchange(_ program: URL, _ line: String) throws -> (status: Int32, requests: [Received]) {
        server.clearRequests()
        try? FileManager.default.removeItem(at: folder.url.appendingPathComponent("new.bin"))
        _ = try folder.file("part.bin", Self.content.prefix(20_000))
        let status = try run(program, line, at: Int(server.port)).status
        return (status, server.requests.map(Received.init))
    }

    @Test("The same arguments lead to the same requests and exit statuses", arguments: samples)
    func comparison(sample: Sample) throws {
        let theirs = try exchange(httpie, sample.line)
        let file = try? Data(contentsOf: folder.url.appendingPathComponent("part.bin"))
        let ours = try exchange(larkspur, sample.line)
        #expect(ours.status == theirs.status, "\(sample.line)")
        #expect(
            ours.requests.map { $0.without(sample.difference) }
                == theirs.requests.map { $0.without(sample.difference) },
            "\(sample.line)"
        )
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("part.bin")) == file)
        // A difference that is no longer there is to be taken from the page HTTPie.md.
        if sample.difference != .none { #expect(ours.requests != theirs.requests, "\(sample.line)") }
    }

    @Test(
        "Responses from httpbin are printed the same",
        arguments: [
            "SERVER/html", "SERVER/image/png", "SERVER/encoding/utf8", "SERVER/bytes/5000?seed=1",
            "SERVER/stream-bytes/9000?seed=2",
            "-F SERVER/cookies/set?a=b", "-a ada:secret SERVER/basic-auth/ada/secret", "SERVER/xml",
            "SERVER/status/418",
            "-A digest -a ada:secret SERVER/digest-auth/auth/ada/secret/SHA-256",
            "--pretty=none SERVER/json", "SERVER/drip?numbytes=5&duration=1", "-F SERVER/redirect-to?url=/robots.txt",
        ]
    )
    func httpbin(line: String) throws {
        let port = try Servers().number(of: .httpbin)
        let theirs = try run(httpie, line, at: port)
        let ours = try run(larkspur, line, at: port)
        #expect(ours.status == theirs.status)
        #expect(ours.output == theirs.output && !ours.output.isEmpty)
    }

    @Test("The page HTTPie.md has the table of this comparison")
    func table() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("HTTPie.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == Self.samples.count)
        for (row, sample) in zip(rows, Self.samples) {
            #expect(row.hasPrefix("| `\(sample.line)` | "))
            #expect(row.hasSuffix("| same |") == (sample.difference == .none), "\(row)")
        }
    }
}
#endif
