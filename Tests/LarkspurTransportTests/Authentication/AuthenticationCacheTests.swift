#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import Testing

@testable import LarkspurTransport

@Suite struct AuthenticationCacheTests {
    let cache = AuthenticationCache()
    let server = ProtectionSpace.Server(scheme: "https", host: "host", port: 443)

    private func authentication(_ field: String, user: String = "u") throws -> HTTPAuthentication {
        let challenge = try #require(AnswerableChallenge.strongest(of: [field]))
        return HTTPAuthentication(challenge: challenge, userCredential: UserCredential(user: user, password: "p"))
    }

    private func use(_ path: String, server: ProtectionSpace.Server? = nil) -> KnownAuthentications.Use? {
        cache.use(
            for: RecipientAuthentication.Request(
                server: server ?? self.server,
                path: path,
                method: "GET",
                target: path,
                userCredential: nil
            )
        )
    }

    private func parameters(_ use: KnownAuthentications.Use?) -> [TextKey: String] {
        ChallengeField.challenges(in: [use?.field ?? ""]).first?.parameters ?? [:]
    }

    @Test(
        "Basic credentials are sent to the folder of the challenged URL, and to the folders below it",
        arguments: [
            ("/docs/", true), ("/docs/index.html", true), ("/docs/a/b", true), ("/docs", false), ("/", false),
            ("/docs2/", false), ("/docs/../private", false), ("/docs/%2E%2e/private", false), ("", false),
            ("/docs/a%2eb", true), ("/docs/a.b", true),
        ]
    )
    func folder(path: String, isSent: Bool) throws {
        cache.store(try authentication("Basic realm=r"), server: server, path: "/docs/index.html?x=/y/")
        #expect(use(path)?.field == (isSent ? "Basic dTpw" : nil))
    }

    @Test("Credentials go to no other server")
    func servers() throws {
        cache.store(try authentication("Basic realm=r"), server: server, path: "")
        #expect(use("/a") != nil)
        #expect(use("") != nil)
        #expect(use("/a", server: ProtectionSpace.Server(scheme: "http", host: "host", port: 443)) == nil)
        #expect(use("/a", server: ProtectionSpace.Server(scheme: "https", host: "host", port: 444)) == nil)
        #expect(use("/a", server: ProtectionSpace.Server(scheme: "https", host: "host2", port: 443)) == nil)
        let proxy = ProtectionSpace.Server(scheme: "https", host: "host", port: 443, isProxy: true)
        #expect(use("/a", server: proxy) == nil)
    }

    @Test(
        "Digest credentials are sent to the URLs of the challenge's domain, by default to the whole server",
        arguments: [
            ("", "/anything", true), (", domain=\"/a/ /b/c\"", "/a/x", true), (", domain=\"/a/ /b/c\"", "/b/x", true),
            (", domain=\"/a/ /b/c\"", "/c", false), (", domain=\"https://HOST/d/\"", "/d/x", true),
            (", domain=\"https://other/d/\"", "/d/x", false), (", domain=\"/\u{301}a/\"", "/\u{301}a/x", true),
            (", domain=\"/a/d \u{301}/\"", "/a/x", true),
        ]
    )
    func domain(option: String, path: String, isSent: Bool) throws {
        cache.store(
            try authentication("Digest realm=r, nonce=n, qop=auth\(option)"),
            server: server,
            path: "/deep/down"
        )
        #expect((use(path) != nil) == isSent)
    }

    @Test("Credentials of a proxy are sent to it with every target")
    func proxy() throws {
        let proxy = ProtectionSpace.Server(scheme: "http", host: "proxy", port: 3128, isProxy: true)
        cache.store(try authentication("Basic realm=r"), server: proxy, path: "/deep/down")
        #expect(use("/", server: proxy) != nil)
    }

    @Test("The credentials for the deepest folder are sent, and of several for that folder the latest")
    func deepest() throws {
        cache.store(try authentication("Basic realm=deep", user: "deep"), server: server, path: "/a/b/c")
        cache.store(try authentication("Basic realm=flat", user: "flat"), server: server, path: "/a/b")
        #expect(use("/a/b/x")?.space.realm == "deep")
        #expect(use("/a/x")?.space.realm == "flat")
        cache.store(try authentication("Basic realm=late", user: "late"), server: server, path: "/a/b/d")
        #expect(use("/a/b/x")?.space.realm == "late")
    }

    @Test("The folders of one protection space accumulate, up to a limit")
    func folders() throws {
        for number in 0..<ProtectedPaths.limit {
            cache.store(try authentication("Basic realm=r"), server: server, path: "/\(number)/")
        }
        #expect(use("/0/") != nil)
        cache.store(try authentication("Basic realm=r"), server: server, path: "/last/")
        #expect(use("/0/") == nil)
        #expect(use("/1/") != nil)
        #expect(use("/last/") != nil)
    }

    @Test("The number of protection spaces is limited, and the oldest is removed first")
    func limit() throws {
        for number in 0...KnownAuthentications.limit {
            let server = ProtectionSpace.Server(scheme: "https", host: "host\(number)", port: 443)
            cache.store(try authentication("Basic realm=r"), server: server, path: "/")
        }
        #expect(use("/", server: ProtectionSpace.Server(scheme: "https", host: "host0", port: 443)) == nil)
        #expect(use("/", server: ProtectionSpace.Server(scheme: "https", host: "host1", port: 443)) != nil)
    }

    @Test("Concurrent requests use one nonce with different counts")
    func counts() async throws {
        cache.store(try authentication("Digest realm=r, nonce=n, qop=auth"), server: server, path: "/")
        let counts = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<100 { group.addTask { parameters(use("/x"))["nc"] } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(counts.count == 100)
    }

    @Test("The next nonce that a server announces is used for the next request")
    func nextNonce() throws {
        cache.store(try authentication("Digest realm=r, nonce=n, qop=auth"), server: server, path: "/")
        let first = try #require(use("/"))
        cache.wasAccepted(first, authenticationInfo: ["nextnonce=\"m\""])
        #expect(parameters(use("/"))["nonce"] == "m")
        #expect(parameters(use("/"))["nc"] == "00000002")
    }

    @Test("Refused credentials are removed, unless other credentials have replaced them")
    func removal() throws {
        cache.store(try authentication("Basic realm=r", user: "old"), server: server, path: "/")
        let old = try #require(use("/"))
        #expect(cache.authentication(of: old)?.userCredential.user == "old")
        cache.store(try authentication("Basic realm=r", user: "new"), server: server, path: "/")
        #expect(cache.authentication(of: old) == nil)
        cache.wasAccepted(old, authenticationInfo: ["nextnonce=\"m\""])
        cache.remove(old)
        let new = try #require(use("/"))
        #expect(cache.authentication(of: new)?.userCredential.user == "new")
        #expect(!cache.isEmpty)
        cache.remove(new)
        #expect(use("/") == nil)
        #expect(cache.isEmpty)
        cache.store(try authentication("Basic realm=r"), server: server, path: "/")
        cache.removeAll()
        #expect(use("/") == nil)
    }
}
#endif
