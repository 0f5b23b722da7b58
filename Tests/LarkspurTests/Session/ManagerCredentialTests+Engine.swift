#if canImport(FoundationNetworking)
import HTTPSyntax
import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

extension ManagerCredentialTests {
    @Test("A resumed download has the configuration's credentials at the base URL's origin only")
    func resumedDownloads() async throws {
        for (server, isOwn) in [(server, true), (other, false)] {
            let file = BrokenFile(1 << 20, cuts: [100_000])
            server.route("/file") { file.answer($0) }
            let manager = manager(.curl)
            let failed = await manager.download(server.url("/file").absoluteString).response()
            let resumeData = try #require(failed.error?.resumeData)

            let response = await manager.downloadTask(withResumeData: resumeData).response()

            #expect(try response.result.get().path.isEmpty == false)
            #expect(server.requests.count == 2 && server.requests.last?.headers["Range"] != nil)
            for request in server.requests {
                #expect(request.headers["X-Api-Key"] == (isOwn ? "configuration" : nil))
            }
        }
    }

    @Test("If HSTS requires https for the base URL's host, https URLs of the host get the credentials")
    func strictTransport() async throws {
        let secure = try LoopbackServer(tls: .selfSigned(hosts: ["a.test", "127.0.0.1"]))
        Self.addRoutes(to: secure)
        let port = secure.port
        secure.route("/list", .json("[1]").adding("Link", "<https://a.test:\(port)/pages>; rel=next"))
        let store = HSTSStore()
        var options = CurlURLSession.Options()
        options.hsts = store
        options.tls.trustedRoots = .only([try TLSCertificate(secure.certificate?.der ?? Data())])
        options.hostAddresses = [HostAddress(host: "a.test", port: Int(port), addresses: ["127.0.0.1"])]
        let manager = manager(.curl(options), base: "http://a.test:\(port)/")
        let target = "https://a.test:\(port)/"

        _ = try await manager.get(target + "x").data
        check(secure, after: 0, has: [:], lacks: Array(Self.all.keys), "before")
        store.insert(HSTSStore.Host(name: "a.test", expirationDate: .distantFuture))
        for way in Way.allCases {
            try await way.call(manager, way.rawValue)
            try await way.call(manager, target + way.rawValue)
        }
        for try await _ in manager.pages("list", as: [Int].self, by: .links) {}
        check(secure, after: 1, has: Self.all, "after")
        store.removeAll()
        let count = secure.requests.count
        _ = try await manager.get(target + "x").data
        check(secure, after: count, has: [:], lacks: Array(Self.all.keys), "removed")
    }
}
#endif
