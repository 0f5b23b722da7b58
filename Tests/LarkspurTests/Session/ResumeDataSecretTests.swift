#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Secrets and resume data", .timeLimit(.minutes(5)))
struct ResumeDataSecretTests {
    @Test("No secret of a request is in resume data, whatever has added the secret", arguments: [0, 1], [false, true])
    func canaries(resumptions: Int, isInURL: Bool) async throws {
        let server = try LoopbackServer()
        let file = BrokenFile(100_000, cuts: [10_000, 10_000])
        server.route("/file") { file.answer($0) }
        let parts = TemporaryFolder()
        var options = CurlURLSession.Options()
        options.partialDownloadFolder = parts.url
        let manager = SessionManager(baseURL: server.baseURL, configuration: .testing, transport: .curl(options))
        manager.clock = InstantClock()
        let (user, secret) = ("lovelace", "canary-4711")
        if !isInURL { manager.headers["Authorization"] = "Bearer \(secret)" }
        manager.headers["X-Api-Key"] = secret
        manager.interceptors.call = [.adapting { $0.setValue(secret, forHTTPHeaderField: "X-Auth-Token") }]
        manager.interceptors.attempt = [.adapting { $0.setValue("id=\(secret)", forHTTPHeaderField: "Cookie") }]
        var components = try #require(URLComponents(url: server.url("/file"), resolvingAgainstBaseURL: true))
        if isInURL { (components.user, components.password) = (user, secret) }

        let task = manager.download(try #require(components.string), maximumResumptions: resumptions)
        let error = try #require(await task.response().error)
        let document = String(decoding: try #require(error.resumeData), as: UTF8.self)

        #expect(document.contains("Larkspur resume data"))
        for text in [secret, user, Data("\(user):\(secret)".utf8).base64EncodedString()] {
            #expect(!document.contains(text))
            #expect(!error.description.contains(text))
        }
        // The secrets were sent, with each attempt.
        #expect(server.requests.count == resumptions + 1)
        for request in server.requests {
            #expect(request.headers["X-Auth-Token"] == secret)
            #expect(request.headers["Cookie"] == "id=\(secret)")
            if !isInURL { #expect(request.headers["Authorization"] == "Bearer \(secret)") }
        }
    }
}
#endif
