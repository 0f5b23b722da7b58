#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("The credentials of a session")
struct CredentialStoreTests {
    let storage: URLCredentialStorage
    let store: CredentialStore
    let server = ProtectionSpace.Server(scheme: "http", host: "host", port: 8080)

    init() throws {
        storage = try #require(URLSessionConfiguration.testing { _ in }.urlCredentialStorage)
        store = CredentialStore(storage: storage)
    }

    private func space(_ scheme: ProtectionSpace.Scheme = .basic, realm: String = "r") -> ProtectionSpace {
        ProtectionSpace(server: server, realm: realm, scheme: scheme)
    }

    private func stored(
        host: String = "host",
        port: Int = 8080,
        protocol name: String? = "http",
        realm: String? = "r",
        _ method: String? = NSURLAuthenticationMethodHTTPBasic
    ) -> URLProtectionSpace {
        URLProtectionSpace(host: host, port: port, protocol: name, realm: realm, authenticationMethod: method)
    }

    private let credential = URLCredential(user: "u", password: "p", persistence: .forSession)

    @Test(
        "A default credential is found by the values of its protection space",
        arguments: [
            ("host", 8080, "http", "r", NSURLAuthenticationMethodHTTPBasic, true),
            ("HOST", 8080, "http", "r", NSURLAuthenticationMethodHTTPBasic, true),
            ("host", 8080, "http", "r", NSURLAuthenticationMethodDefault, true),
            ("host", 8081, "http", "r", NSURLAuthenticationMethodHTTPBasic, false),
            ("host", 8080, "https", "r", NSURLAuthenticationMethodHTTPBasic, false),
            ("host", 8080, "http", "s", NSURLAuthenticationMethodHTTPBasic, false),
            ("other", 8080, "http", "r", NSURLAuthenticationMethodHTTPBasic, false),
            ("host", 8080, "http", "r", NSURLAuthenticationMethodHTTPDigest, false),
        ]
    )
    func byValue(host: String, port: Int, name: String, realm: String, method: String, isFound: Bool) {
        storage.set(credential, for: stored(host: host, port: port, protocol: name, realm: realm, method))
        #expect((store.defaultCredential(for: space()) != nil) == isFound)
    }

    @Test("A credential for any method serves for Digest, unless there is a credential for Digest")
    func openMethod() {
        storage.set(credential, for: stored(nil))
        #expect(store.defaultCredential(for: space(.digest))?.user == "u")
        let other = URLCredential(user: "digest", password: "p", persistence: .forSession)
        storage.set(other, for: stored(NSURLAuthenticationMethodHTTPDigest))
        #expect(store.defaultCredential(for: space(.digest))?.user == "digest")
        #expect(store.defaultCredential(for: space(.ntlm)) == nil)
    }

    @Test("A credential is stored as the default of the existing protection space")
    func keep() {
        storage.set(credential, for: stored())
        let other = URLCredential(user: "other", password: "p", persistence: .permanent)
        store.store(other, for: space())
        store.store(URLCredential(user: "none", password: "p", persistence: .none), for: space())
        #expect(storage.allCredentials.count == 1)
        #expect(storage.allCredentials.values.first?.keys.sorted() == ["other", "u"])
        #expect(store.defaultCredential(for: space())?.user == "other")
    }

    @Test("A credential that is missing from the storage or replaced there counts as lost")
    func lost() {
        let userCredential = UserCredential(user: "u", password: "p")
        #expect(store.hasLost(userCredential, of: space()))
        store.store(credential, for: space())
        #expect(!store.hasLost(userCredential, of: space()))
        store.store(URLCredential(user: "u", password: "changed", persistence: .forSession), for: space())
        #expect(store.hasLost(userCredential, of: space()))
        #expect(!CredentialStore(storage: nil).hasLost(userCredential, of: space()))
    }

    @Test("A reset removes all credentials, and a store without a storage has none")
    func removal() {
        store.store(credential, for: space())
        store.known.store(
            HTTPAuthentication(challenge: .basic(realm: "r"), userCredential: UserCredential(user: "u", password: "p")),
            server: server,
            path: "/"
        )
        store.removeAll()
        #expect(store.known.isEmpty)
        #expect(store.defaultCredential(for: space()) == nil)
        CredentialStore(storage: nil).store(credential, for: space())
        #expect(CredentialStore(storage: nil).defaultCredential(for: space()) == nil)
    }
}
#endif
