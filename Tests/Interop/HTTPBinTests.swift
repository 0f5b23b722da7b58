#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing

/// What httpbin, which we did not write, says of us.
@Suite(.needsServers, .timeLimit(.minutes(5))) struct HTTPBinTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    private func reply(to target: String, credential: URLCredential? = nil) async throws -> Reply {
        let session = servers.makeSession(delegate: credential.map(Credentials.init))
        defer { session.finishTasksAndInvalidate() }
        return try await session.reply(to: servers.url(.httpbin, target))
    }

    @Test("A Digest challenge is answered with every supported algorithm", arguments: ["MD5", "SHA-256"])
    func digest(algorithm: String) async throws {
        let target = "/digest-auth/auth/ada/secret/\(algorithm)"
        let right = URLCredential(user: "ada", password: "secret", persistence: .none)
        #expect(try await reply(to: target, credential: right).status == 200)
        let wrong = URLCredential(user: "ada", password: "guess", persistence: .none)
        #expect(try await reply(to: target, credential: wrong).status == 401)
        #expect(try await reply(to: target).status == 401)
    }

    @Test("A stale nonce is renewed, and does not count as a failure")
    func staleNonce() async throws {
        let credential = URLCredential(user: "ada", password: "secret", persistence: .none)
        #expect(try await reply(to: "/digest-auth/auth/ada/secret/MD5/1", credential: credential).status == 200)
    }

    @Test("A Basic challenge is answered", arguments: ["/basic-auth/ada/secret", "/hidden-basic-auth/ada/secret"])
    func basic(target: String) async throws {
        let credential = URLCredential(user: "ada", password: "secret", persistence: .none)
        // The hidden one answers 404 to whoever does not send credentials unasked.
        let expected = target.hasPrefix("/hidden") ? 404 : 200
        #expect(try await reply(to: target, credential: credential).status == expected)
    }

    @Test("Cookies are stored and sent back")
    func cookies() async throws {
        let session = servers.makeSession()
        defer { session.finishTasksAndInvalidate() }
        _ = try await session.reply(to: servers.url(.httpbin, "/cookies/set?flavour=oat"))
        let reply = try await session.reply(to: servers.url(.httpbin, "/cookies"))
        #expect(reply.text.contains(#""flavour": "oat""#))
        _ = try await session.reply(to: servers.url(.httpbin, "/cookies/delete?flavour"))
        #expect(try await !session.reply(to: servers.url(.httpbin, "/cookies")).text.contains("oat"))
    }

    @Test(
        "A chain of redirects is followed to its end",
        arguments: ["/redirect/5", "/absolute-redirect/5", "/relative-redirect/5"]
    )
    func redirects(target: String) async throws {
        #expect(try await reply(to: target).status == 200)
    }

    @Test("Content in each coding is decoded", arguments: ["gzip", "deflate", "brotli"])
    func codings(coding: String) async throws {
        #expect(try await reply(to: "/\(coding)").text.contains(#""method": "GET""#))
    }
}

/// Answers every first challenge with one credential, and takes the response of the second.
private final class Credentials: NSObject, URLSessionTaskDelegate, Sendable {
    private let credential: URLCredential

    init(_ credential: URLCredential) { self.credential = credential }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        if challenge.previousFailureCount == 0 {
            completionHandler(.useCredential, credential)
        } else {
            completionHandler(.rejectProtectionSpace, nil)
        }
    }
}
#endif
