#if canImport(FoundationNetworking)
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Logs of the secrets of TLS", .timeLimit(.minutes(5)))
struct TLSKeyLogTests {
    private let folder = TemporaryFolder()

    /// Sends a request over TLS with a new session.
    private static func send(to server: LoopbackServer, keyLog: URL?) async throws {
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only([try TLSCertificate(try #require(server.certificate).der)])
        options.tls.keyLog = keyLog
        let session = CurlURLSession(configuration: .ephemeral, options: options)
        defer { session.invalidateAndCancel() }
        let (_, response) = try await session.data(from: server.url("/get"))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    /// The labels of a file's lines, each of which has to be complete.
    private static func labels(in file: URL) throws -> [String] {
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.hasSuffix("\n"))
        return text.split(separator: "\n").map { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            let areNumbers = fields.dropFirst().allSatisfy { $0.count >= 64 && $0.allSatisfy { $0.isHexDigit } }
            #expect(fields.count == 3 && areNumbers)
            return fields.first.map(String.init) ?? ""
        }
    }

    @Test("The secrets of each connection are appended to a file that only its owner can read")
    func appended() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        let file = folder.url.appendingPathComponent("keys.log")

        try await Self.send(to: server, keyLog: file)
        let first = try Self.labels(in: file)
        try await Self.send(to: server, keyLog: file)
        let both = try Self.labels(in: file)
        try await Self.send(to: server, keyLog: nil)

        #expect(first.contains("CLIENT_TRAFFIC_SECRET_0") && first.contains("SERVER_HANDSHAKE_TRAFFIC_SECRET"))
        #expect(both == first + first)
        #expect(try Self.labels(in: file) == both)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test("If the log cannot be written, https requests fail with the reason, and nothing is sent")
    func refused() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        let target = try folder.file("target")
        let link = folder.url.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let pipe = folder.url.appendingPathComponent("pipe")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        let open = try folder.file("open")
        try #require(chmod(open.path, 0o640) == 0)
        let twice = try folder.file("twice")
        try #require(chmod(twice.path, 0o600) == 0 && Foundation.link(twice.path, twice.path + "2") == 0)
        let others = try folder.file("others")
        try #require(chmod(others.path, 0o666) == 0)
        let foreign = "it belongs to another user, or has several names"
        let canBeForeign = chown(others.path, 65_534, 65_534) == 0
        for (file, reason) in [
            (open, "others than its owner may open it (chmod 600 changes that)"), (twice, foreign),
            (others, canBeForeign ? foreign : "others than its owner may open it (chmod 600 changes that)"),
            (link, "it is a symbolic link"), (folder.url, "Is a directory"), (pipe, "No such device or address"),
            (URL(fileURLWithPath: "/dev/null"), "it is not a regular file"),
            (folder.url.appendingPathComponent("missing/keys"), "No such file or directory"),
        ] {
            let error = await #expect(throws: URLError.self) { try await Self.send(to: server, keyLog: file) }
            #expect(error?.tlsFailure?.reason == .notEnforceable)
            #expect(error?.localizedDescription == "The key log \(file.path) cannot be written: \(reason).")
        }
        #expect(server.requests.isEmpty)
        #expect(try Data(contentsOf: others).isEmpty && Data(contentsOf: open).isEmpty)
    }

    @Test("Without OpenSSL, there is no log and no file")
    func withoutOpenSSL() {
        var configuration = TLSConfiguration()
        configuration.keyLog = folder.url.appendingPathComponent("keys.log")

        let settings = TLSSettings(configuration, abilities: TLSSettingsTests.without)

        #expect(settings.defect == "There can be no key log: libcurl uses GnuTLS/3." && settings.keyLog == nil)
        #expect(!FileManager.default.fileExists(atPath: configuration.keyLog?.path ?? ""))
    }

    @Test("libcurl writes the file of SSLKEYLOGFILE, whether the session has a log or not")
    func environment() async {
        await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
            let file = URL(fileURLWithPath: path).appendingPathComponent("environment")
            let own = URL(fileURLWithPath: path).appendingPathComponent("own")
            setenv("SSLKEYLOGFILE", file.path, 1)
            let server = try LoopbackServer(tls: .selfSigned())
            try await Self.send(to: server, keyLog: nil)
            let first = try Self.labels(in: file)
            #expect(first.contains("CLIENT_TRAFFIC_SECRET_0"))
            try await Self.send(to: server, keyLog: own)
            #expect(try Self.labels(in: file) == first + first)
            #expect(try Self.labels(in: own) == first)
        }
    }
}
#endif
