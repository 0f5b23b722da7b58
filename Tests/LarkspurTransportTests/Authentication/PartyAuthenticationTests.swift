#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("What a task tries to be let in")
struct PartyAuthenticationTests {
    let store: CredentialStore
    let server = ProtectionSpace.Server(scheme: "http", host: "host", port: 80)
    let user = URLCredential(user: "u", password: "p", persistence: .forSession)
    let stranger = URLCredential(user: "x", password: "y", persistence: .none)

    init() {
        store = CredentialStore(storage: URLSessionConfiguration.ephemeral.urlCredentialStorage)
    }

    private func request(login: Login? = nil, host: String = "host") -> PartyAuthentication.Request {
        .testing(login: login, host: host)
    }

    /// Has credentials known by a task of its own.
    private func know(_ field: String, _ credential: URLCredential? = nil, login: Login? = nil) throws {
        let party = Task(store)
        let request = request(login: login)
        let question = try party.demand(field, to: request)
        #expect(party.use(credential ?? user, for: question, of: request))
        _ = party.send(request)
        party.accept(request)
    }

    @Test("Refusals are counted, and the credential that was refused last is proposed")
    func failures() throws {
        let party = Task(store)
        let first = try party.demand("Basic realm=r")
        #expect(first.failureCount == 0 && first.untried == nil && first.refused == nil)
        #expect(party.use(user, for: first, of: request()))
        #expect(party.send() == "Basic dTpw")
        let second = try party.demand("Basic realm=r")
        #expect(second.failureCount == 1 && second.untried == nil && second.refused?.user == "u")
        #expect(party.use(stranger, for: second, of: request()))
        #expect(party.send() == "Basic eDp5")
        #expect(try party.demand("Basic realm=r").failureCount == 2)
        // A request without credentials of the engine's is no failure.
        #expect(party.send() == nil)
        #expect(try party.demand("Basic realm=r").failureCount == 2)
    }

    @Test("A delegate that answers for ever is asked no more at some time")
    func limit() throws {
        let party = Task(store)
        for count in 0..<PartyAuthentication.failureLimit {
            let question = try party.demand("Basic realm=r")
            #expect(question.failureCount == count)
            #expect(party.use(user, for: question, of: request()))
            _ = party.send()
        }
        #expect(throws: Task.Unexpected.self) { try party.demand("Basic realm=r") }
    }

    @Test("By default the credential of the URL is tried, then that of the storage, each once")
    func defaults() throws {
        let login = Login(user: "url", password: "1")
        let request = request(login: login)
        store.keep(user, for: ProtectionSpace(server: server, realm: "r", scheme: .basic))
        let party = Task(store)
        for (index, name) in ["url", "u", nil].enumerated() {
            let question = try party.demand("Basic realm=r", to: request)
            #expect(question.untried?.user == name)
            #expect(question.failureCount == index)
            guard let credential = question.untried else { break }
            #expect(party.use(credential, for: question, of: request))
            _ = party.send(request)
        }
    }

    @Test("What was accepted is sent without being asked for, unless the request brings its own")
    func known() throws {
        try know("Basic realm=r")
        let party = Task(store)
        #expect(party.send(usesKnown: false) == nil)
        #expect(party.send() == "Basic dTpw")
        #expect(party.send(request(host: "other")) == nil)
        #expect(store.defaultCredential(for: ProtectionSpace(server: server, realm: "r", scheme: .basic)) != nil)
    }

    @Test("A credential that nobody is to store is for its task alone")
    func unstored() throws {
        try know("Basic realm=r", stranger)
        let party = Task(store)
        #expect(party.send() == nil)
        #expect(store.storage?.allCredentials.isEmpty == true)
    }

    @Test("The credentials of a URL are for requests that name the same user with the same password")
    func owners() throws {
        let login = Login(user: "a", password: "1")
        try know("Basic realm=r", login.credential, login: login)
        let party = Task(store)
        #expect(party.send(request(login: login)) == "Basic YTox")
        #expect(party.send(request()) == nil)
        #expect(party.send(request(login: Login(user: "a", password: "2"))) == nil)
        try know("Basic realm=r")
        #expect(party.send(request(login: login)) == "Basic YTox")
        #expect(party.send(request(login: Login(user: "b", password: ""))) == nil)
        #expect(party.send(request()) == "Basic dTpw")
        #expect(store.storage?.allCredentials.values.first?.keys.sorted() == ["u"])
    }

    @Test("Known credentials that are refused are forgotten, and count as a failure")
    func refused() throws {
        try know("Basic realm=r")
        let party = Task(store)
        _ = party.send()
        let question = try party.demand("Basic realm=r")
        #expect(question.failureCount == 1)
        // It is in the storage still, and was refused.
        #expect(question.untried == nil && question.refused?.user == "u")
        #expect(store.known.isEmpty)
    }

    @Test("What was taken out of the storage is not sent any more")
    func logout() throws {
        try know("Basic realm=r")
        let (space, credentials) = try #require(store.storage?.allCredentials.first)
        for credential in credentials.values { store.storage?.remove(credential, for: space) }
        let party = Task(store)
        #expect(party.send() == nil)
        #expect(store.known.isEmpty)
    }

    @Test("A known Digest is renewed once with any new nonce, and more often only if the old one was too old")
    func renewal() throws {
        try know("Digest realm=r, nonce=a, qop=auth")
        let party = Task(store)
        _ = party.send()
        #expect(party.isRenewal("Digest realm=r, nonce=b, qop=auth"))
        #expect(party.send()?.contains("nonce=\"b\"") == true)
        #expect(party.isRenewal("Basic realm=r", "Digest realm=r, nonce=c, qop=auth, stale=TRUE"))
        #expect(party.send()?.contains("nonce=\"c\"") == true)
        #expect(try party.demand("Digest realm=r, nonce=d, qop=auth").failureCount == 1)
        // Else every further task would send it again, and be refused twice.
        #expect(store.known.isEmpty)
    }

    @Test("A name with a colon is no user of Basic, where the rest would be taken for the password")
    func colon() throws {
        let user = URLCredential(user: "a:b", password: "p", persistence: .forSession)
        let party = Task(store)
        let digest = try party.demand("Digest realm=r, nonce=n, qop=auth, Basic realm=r")
        #expect(party.use(user, for: digest, of: request()))
        #expect(party.send()?.contains("username=\"a:b\"") == true)
        let basic = try party.demand("Basic realm=r")
        #expect(!party.use(user, for: basic, of: request()))
        #expect(party.send() == nil)
    }

    @Test("A nonce that is always too old comes to an end")
    func alwaysStale() throws {
        let party = Task(store)
        let question = try party.demand("Digest realm=r, nonce=a")
        #expect(party.use(user, for: question, of: request()))
        var renewals = 0
        repeat {
            _ = party.send()
            renewals += 1
        } while renewals < 100 && party.isRenewal("Digest realm=r, nonce=b, stale=true")
        #expect(renewals == HTTPAuthentication.renewalLimit + 1)
    }

    @Test("What another task has replaced meanwhile is used in its place")
    func replaced() throws {
        try know("Digest realm=r, nonce=a, qop=auth")
        let party = Task(store)
        _ = party.send()
        try know("Digest realm=r, nonce=b, qop=auth")
        #expect(party.isRenewal("Digest realm=r, nonce=c, qop=auth, stale=true"))
        #expect(party.send()?.contains("nonce=\"b\"") == true)
        party.accept(request(), info: ["nextnonce=\"d\""])
        #expect(party.send()?.contains("nonce=\"d\"") == true)
    }

    @Test("After a protection space that is refused comes the next")
    func rejected() throws {
        let party = Task(store)
        let first = try party.demand("Basic realm=r, Digest realm=r, nonce=n, Digest realm=r, nonce=m")
        #expect(first.space.scheme == .digest)
        let second = try #require(party.demand(after: first))
        #expect(second.space.scheme == .basic)
        #expect(party.demand(after: second) == nil)
    }

    @Test("Another server begins at nought, and sees nothing of the last one's")
    func otherServer() throws {
        let party = Task(store)
        let question = try party.demand("Basic realm=r")
        #expect(party.use(stranger, for: question, of: request()))
        _ = party.send()
        _ = try party.demand("Basic realm=r")
        let other = request(host: "other")
        #expect(party.send(other) == nil)
        let next = try party.demand("Basic realm=r", to: other)
        #expect(next.failureCount == 0 && next.refused == nil)
    }

    @Test("A ticket is sent for nobody's default, and for no name that is given")
    func negotiate() throws {
        let party = Task(store)
        let question = try party.demand("Negotiate")
        #expect(question.untried == nil)
        #expect(!party.use(user, for: question, of: request()))
        #expect(party.use(URLCredential(user: "", password: "", persistence: .none), for: question, of: request()))
        let login = Login(user: "", password: "")
        #expect(party.proof() == .connection(.negotiate, login))
        #expect(party.isOnConnection)
        #expect(party.proof(request(host: "other")) == .nothing)
    }
}

/// The attempts of one task.
private final class Task {
    struct Unexpected: Error {}

    private let store: CredentialStore
    private var party = PartyAuthentication()

    init(_ store: CredentialStore) { self.store = store }

    var isOnConnection: Bool { party.isOnConnection }

    func proof(_ request: PartyAuthentication.Request = .testing(), usesKnown: Bool = true) -> PartyAuthentication.Proof
    {
        party.proof(for: request, store, usesKnown: usesKnown)
    }

    func send(_ request: PartyAuthentication.Request = .testing(), usesKnown: Bool = true) -> String? {
        guard case .field(let field) = proof(request, usesKnown: usesKnown) else { return nil }
        return field
    }

    /// The question that a refusal leads to.
    func demand(_ fields: String..., to request: PartyAuthentication.Request = .testing()) throws -> CredentialDemand {
        let demand = party.demand(of: fields, to: request, store, schemes: [.ntlm, .negotiate])
        guard case .credential(let question) = demand else { throw Unexpected() }
        return question
    }

    func demand(after demand: CredentialDemand) -> CredentialDemand? {
        party.demand(after: demand, to: .testing(), store)
    }

    func isRenewal(_ fields: String...) -> Bool {
        if case .renewal = party.demand(of: fields, to: .testing(), store) { return true }
        return false
    }

    func use(_ credential: URLCredential, for demand: CredentialDemand, of request: PartyAuthentication.Request) -> Bool
    {
        party.use(credential, for: demand, of: request)
    }

    func accept(_ request: PartyAuthentication.Request, info: [String] = []) {
        party.noteAcceptance(of: request, info: info, store)
    }
}

extension PartyAuthentication.Request {
    fileprivate static func testing(login: Login? = nil, host: String = "host") -> Self {
        let server = ProtectionSpace.Server(scheme: "http", host: host, port: 80)
        return Self(server: server, path: "/", method: "GET", target: "/", login: login)
    }
}
#endif
