#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite struct ProtectionSpaceTests {
    @Test(
        "The server of a URL has a lower-case name and always a port",
        arguments: [
            ("http://Host/x", ProtectionSpace.Server(scheme: "http", host: "host", port: 80)),
            ("HTTPS://host", ProtectionSpace.Server(scheme: "https", host: "host", port: 443)),
            ("https://u:p@host:8443/", ProtectionSpace.Server(scheme: "https", host: "host", port: 8443)),
            ("ftp://host/", nil), ("/path", nil), ("http:", nil),
        ]
    )
    func servers(text: String, expected: ProtectionSpace.Server?) throws {
        #expect(ProtectionSpace.Server(url: try #require(URL(string: text))) == expected)
    }

    @Test(
        "Foundation's space says what the key does, and makes an equal key",
        arguments: [false, true],
        ["http", "https"]
    )
    func foundation(isProxy: Bool, scheme: String) {
        let methods: [ProtectionSpace.Scheme: String] = [
            .basic: NSURLAuthenticationMethodHTTPBasic, .digest: NSURLAuthenticationMethodHTTPDigest,
            .negotiate: NSURLAuthenticationMethodNegotiate, .ntlm: NSURLAuthenticationMethodNTLM,
        ]
        for (method, name) in methods {
            let server = ProtectionSpace.Server(scheme: scheme, host: "host", port: 81, isProxy: isProxy)
            let space = ProtectionSpace(server: server, realm: "r", scheme: method)
            let foundation = space.urlProtectionSpace
            #expect(foundation.host == "host")
            #expect(foundation.port == 81)
            #expect(foundation.realm == "r")
            #expect(foundation.isProxy() == isProxy)
            #expect(foundation.protocol == (isProxy ? nil : scheme))
            #expect((foundation.proxyType == nil) == !isProxy)
            #expect(foundation.authenticationMethod == name)
            #expect(foundation.isOfConnection == (method == .negotiate || method == .ntlm))
            #expect(ProtectionSpace(foundation) == space)
        }
    }

    @Test("A space that a caller made is understood in every way of writing it")
    func callersSpaces() {
        let space = URLProtectionSpace(
            host: "Host",
            port: 0,
            protocol: NSURLProtectionSpaceHTTPS,
            realm: nil,
            authenticationMethod: nil
        )
        let server = ProtectionSpace.Server(scheme: "https", host: "host", port: 443)
        #expect(ProtectionSpace(space) == ProtectionSpace(server: server, realm: "host", scheme: .basic))
        let other = URLProtectionSpace(
            host: "host",
            port: 80,
            protocol: "http",
            realm: nil,
            authenticationMethod: NSURLAuthenticationMethodHTMLForm
        )
        #expect(ProtectionSpace(other) == nil)
    }

    typealias Disposition = URLSession.AuthChallengeDisposition

    private static let uses:
        [(
            Disposition, hasCredential: Bool,
            @Sendable (any URLAuthenticationChallengeSender, URLAuthenticationChallenge) -> Void
        )] = [
            (.useCredential, true, { $0.use(URLCredential(user: "u", password: "p", persistence: .none), for: $1) }),
            (.useCredential, false, { $0.continueWithoutCredential(for: $1) }),
            (.cancelAuthenticationChallenge, false, { $0.cancel($1) }),
            (.performDefaultHandling, false, { $0.performDefaultHandling(for: $1) }),
            (.rejectProtectionSpace, false, { $0.rejectProtectionSpaceAndContinue(with: $1) }),
        ]

    @Test("The sender of a challenge answers it once, as its methods say", arguments: uses.indices)
    func sender(index: Int) throws {
        let (disposition, hasCredential, use) = Self.uses[index]
        let box = AnswerBox()
        let server = ProtectionSpace.Server(scheme: "http", host: "host", port: 80)
        let url = try #require(URL(string: "http://host/"))
        let response = HTTPURLResponse(url: url, statusCode: 401, httpVersion: nil, headerFields: nil)
        let challenge = URLAuthenticationChallenge.http(
            ProtectionSpace(server: server, realm: "r", scheme: .basic),
            proposedCredential: nil,
            failureCount: 2,
            response: response
        ) { box.add($0, $1) }
        #expect(challenge.previousFailureCount == 2)
        #expect(challenge.failureResponse === response)
        #expect(challenge.protectionSpace.realm == "r")

        let sender = try #require(challenge.sender)
        use(sender, challenge)
        sender.cancel(challenge)

        #expect(box.dispositions == [disposition])
        #expect(box.users == [hasCredential ? "u" : nil])
    }

    private final class AnswerBox: Sendable {
        private let answers = Mutex<[(disposition: Disposition, user: String?)]>([])
        func add(_ disposition: Disposition, _ credential: URLCredential?) {
            answers.withLock { $0.append((disposition, credential?.user)) }
        }
        var dispositions: [Disposition] { answers.withLock { $0.map(\.disposition) } }
        var users: [String?] { answers.withLock { $0.map(\.user) } }
    }
}
#endif
