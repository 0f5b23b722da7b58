#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

@Suite struct ProtectionSpaceTests {
    @Test(
        "The server of a URL has a canonical name and always a port",
        arguments: [
            ("http://Host/x", ProtectionSpace.Server(scheme: "http", host: "host", port: 80)),
            ("HTTPS://host", ProtectionSpace.Server(scheme: "https", host: "host", port: 443)),
            ("https://u:p@host:8443/", ProtectionSpace.Server(scheme: "https", host: "host", port: 8443)),
            ("http://%48ost/", ProtectionSpace.Server(scheme: "http", host: "host", port: 80)),
            ("http://127.1/", ProtectionSpace.Server(scheme: "http", host: "127.0.0.1", port: 80)),
            ("http://127.0.0.1/", ProtectionSpace.Server(scheme: "http", host: "2130706433", port: 80)),
            ("http://[0::1]/", ProtectionSpace.Server(scheme: "http", host: "::1", port: 80)),
            ("http://host./", ProtectionSpace.Server(scheme: "http", host: "Host.", port: 80)),
            ("ftp://host/", nil), ("/path", nil), ("http:", nil), ("http://a..b/", nil), ("http://1.2.3.4.5/", nil),
        ]
    )
    func servers(text: String, expected: ProtectionSpace.Server?) throws {
        #expect(ProtectionSpace.Server(url: try #require(URL(string: text))) == expected)
    }

    @Test(
        "Foundation's protection space has the values of the key, and converts to an equal key",
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

    @Test("All notations of a caller's protection space are understood")
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

    @Test("A challenge object has the space, the response, the number of failures, and a sender without effect")
    func challenge() throws {
        let server = ProtectionSpace.Server(scheme: "http", host: "host", port: 80)
        let url = try #require(URL(string: "http://host/"))
        let response = try #require(HTTPURLResponse(url: url, statusCode: 401, httpVersion: nil, headerFields: nil))
        let credential = URLCredential(user: "u", password: "p", persistence: .none)
        let demand = CredentialDemand(
            space: ProtectionSpace(server: server, realm: "r", scheme: .basic),
            offers: [],
            offer: .field(.basic(realm: "r")),
            untried: nil,
            refused: credential,
            failureCount: 2
        )
        let challenge = demand.challenge(with: response)
        #expect(challenge.previousFailureCount == 2)
        #expect(challenge.failureResponse === response)
        #expect(challenge.protectionSpace.realm == "r")
        #expect(challenge.proposedCredential === credential)

        let sender = try #require(challenge.sender)
        sender.use(credential, for: challenge)
        sender.continueWithoutCredential(for: challenge)
        sender.cancel(challenge)
        sender.performDefaultHandling(for: challenge)
        sender.rejectProtectionSpaceAndContinue(with: challenge)
    }
}
#endif
