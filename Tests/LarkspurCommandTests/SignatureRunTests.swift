import Foundation
import LarkspurTesting
import TestSupport
import Testing

/// Runs of the built program with a signature for AWS, whose secrets are in the environment.
@Suite("The program and the secrets of a signature", .timeLimit(.minutes(5)))
struct SignatureRunTests {
    private static let keys = [
        "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "s3cret-key", "AWS_SESSION_TOKEN": "t0ken-canary",
    ]

    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws { server = try LoopbackServer() }

    private func run(_ arguments: String..., environment: [String: String] = keys) async throws -> CommandRun.Result {
        let all =
            ["--aws-sigv4=aws:amz:r:s3"] + arguments.map { $0.replacing("SERVER", with: "127.0.0.1:\(server.port)") }
        return try await CommandRun.run(all, in: folder.url, environment: environment)
    }

    /// Returns the signature of a request.
    private func signature(_ request: LoopbackServer.Request) throws -> String {
        let authorization = try #require(request.headers["Authorization"])
        return try #require(authorization.split(separator: "Signature=").last.map { String($0) })
    }

    @Test(
        "The secrets are sent, and neither printed nor stored, also when a redirect is followed",
        arguments: [
            ["-v"], ["-vv", "--follow"], ["--har=./a.har", "--follow"],
            ["--session=./s.json", "--follow", "-v"],
        ]
    )
    func secrecy(_ arguments: [String]) async throws {
        server.route("/here", .redirect(to: "/there"))
        server.route("/there", .text("done"))
        let all = ["--aws-sigv4=aws:amz:r:s3"] + arguments + ["127.0.0.1:\(server.port)/here"]
        let result = try await CommandRun.run(all, in: folder.url, environment: Self.keys)
        #expect(result.status == 0, "\(result.errors)")
        var text = result.text + result.errors
        for name in try folder.visibleNames() {
            text += String(decoding: try Data(contentsOf: folder.url.appendingPathComponent(name)), as: UTF8.self)
        }
        #expect(text.contains("/here"))
        let sent = server.requests
        #expect(sent.count == (arguments.contains("--follow") ? 2 : 1))
        for request in sent {
            #expect(request.headers["X-Amz-Security-Token"] == "t0ken-canary")
            let signature = try signature(request)
            #expect(signature.utf8.count == 64 && !text.contains(signature), "\(text)")
        }
        for secret in ["s3cret-key", "t0ken-canary"] { #expect(!text.contains(secret), "\(text)") }
        if arguments.contains("-vv") {
            #expect(text.contains("Authorization: AWS4-HMAC-SHA256 <redacted>\n"), "\(text)")
            #expect(text.contains("X-Amz-Security-Token: <redacted>\n"), "\(text)")
        }
    }

    @Test("A redirect to another host gets neither the signature nor the token")
    func otherHost() async throws {
        server.route("/away", .redirect(to: "http://localhost:\(server.port)/get", status: 307))
        let result = try await run("-v", "--follow", "SERVER/away")
        #expect(result.status == 0 && server.requests.count == 2)
        #expect(server.requests.first?.headers["X-Amz-Security-Token"] == "t0ken-canary")
        let fields = server.requests.last?.headers.map { $0.name.lowercased() } ?? []
        #expect(fields.contains("host") && !fields.contains("authorization"))
        #expect(!fields.contains { $0.hasPrefix("x-amz-") })
    }

    @Test("The token of keys in the arguments is given as a field, is signed, and is printed as it was given")
    func givenToken() async throws {
        // The response must not have the fields of the request, as that of /get does.
        server.route("/signed", .text("signed"))
        let result = try await run(
            "-v",
            "-a",
            "AKID:s3cret-key",
            "SERVER/signed",
            "X-Amz-Security-Token:own",
            environment: [:]
        )
        let request = try #require(server.requests.last)
        #expect(request.headers["X-Amz-Security-Token"] == "own")
        #expect(request.headers["Authorization"]?.contains("x-amz-security-token") == true)
        #expect(result.status == 0 && result.text.contains("X-Amz-Security-Token: own\n"))
        let signature = try signature(request)
        #expect(!result.text.contains(signature))
    }
}
