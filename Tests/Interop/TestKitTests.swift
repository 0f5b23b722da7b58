#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import LarkspurTesting
import TestSupport
import Testing

/// The server with TLS and the cassettes of LarkspurTesting, beside programs of others.
@Suite("The test kit with other programs", .needsServers, .timeLimit(.minutes(5)))
struct TestKitTests {
    private let folder = TemporaryFolder()

    /// Runs a command of a shell to its end. Returns its status, and what it has written.
    private func run(_ command: String) throws -> (status: Int32, output: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    /// Ends a process. It has the signals blocked that the thread had that started it, except for this one.
    private func stop(_ process: Process) {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    @Test("curl trusts the server's certificate only with an option")
    func curl() throws {
        let server = try LoopbackServer(tls: .selfSigned())
        defer { server.stop() }
        server.route("/large", .data(Data(count: 2_000_000)))
        let file = try folder.file("root.pem", Data((server.certificate?.pem ?? "").utf8))
        let options =
            "--silent --show-error --output /dev/null --write-out '%{http_code} %{http_version} %{size_download}'"
        for url in [server.url("/large"), URL(string: "https://localhost:\(server.port)/large") ?? server.baseURL] {
            for version in ["--tlsv1.2 --tls-max 1.2", "--tlsv1.3"] {
                let trusted = try run("curl \(options) \(version) --cacert '\(file.path)' '\(url)'")
                #expect(trusted.status == 0 && trusted.output == "200 1.1 2000000", "\(trusted.output)")
            }
        }
        // The status of curl for a certificate that it cannot verify.
        #expect(try run("curl \(options) '\(server.url("/large"))'").status == 60)
    }

    @Test("OpenSSL's client verifies the chain, and gets http/1.1 or an alert")
    func openssl() throws {
        let server = try LoopbackServer(tls: .selfSigned())
        defer { server.stop() }
        let file = try folder.file("root.pem", Data((server.certificate?.pem ?? "").utf8))
        let client = "openssl s_client -connect 127.0.0.1:\(server.port) -CAfile '\(file.path)' -verify_ip 127.0.0.1"
        let accepted = try run("\(client) -alpn h2,http/1.1 -tls1_2")
        #expect(accepted.output.contains("Verify return code: 0 (ok)"))
        #expect(accepted.output.contains("ALPN protocol: http/1.1"))
        let refused = try run("\(client) -alpn h2")
        #expect(refused.status != 0 && refused.output.contains("no application protocol"))
        #expect(try run("\(client) -tls1_1").status != 0)
        #expect(try run("openssl x509 -in '\(file.path)' -noout -text").output.contains("IP Address:127.0.0.1"))
    }

    @Test("A cassette of Python's server is valid JSON for Python, and replays without the server")
    func python() async throws {
        _ = try folder.file("a.json", Data(#"{"id": 1, "price": 1.10}"#.utf8))
        _ = try folder.file("b.bin", Data((0...255).map { UInt8($0) }))
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "-d", folder.url.path]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer { stop(process) }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let port = try #require(line.firstMatch(of: /port (\d+)/)?.output.1)
        let baseURL = try #require(URL(string: "http://127.0.0.1:\(port)"))
        let file = folder.url.appendingPathComponent("cassette/python.json")

        func contents(_ mode: Cassette.Mode) async throws -> [Data] {
            let cassette = try Cassette(file, mode: mode)
            let manager = SessionManager(baseURL: baseURL, configuration: .ephemeral, transport: cassette.transport)
            var contents: [Data] = []
            for path in ["a.json", "b.bin", "cassette"] {
                contents.append((try? await manager.get(path).data) ?? Data())
            }
            try cassette.save()
            return contents
        }
        let live = try await contents(.record)
        stop(process)
        let replayed = try await contents(.replay)
        #expect(String(decoding: replayed[0], as: UTF8.self) == #"{"id":1,"price":1.10}"#)
        #expect(replayed[1].count == 256 && Array(replayed[1...]) == Array(live[1...]))

        let script =
            "import json, sys; d = json.load(open(sys.argv[1])); "
            + "print(d['larkspurCassette'], [i['response']['status'] for i in d['interactions']], "
            + "d['interactions'][0]['response']['json'])"
        let parsed = try run("python3 -c \"\(script)\" '\(file.path)'")
        #expect(parsed.output == "1 [200, 200, 404] {'id': 1, 'price': 1.1}\n", "\(parsed.output)")
    }
}
#endif
