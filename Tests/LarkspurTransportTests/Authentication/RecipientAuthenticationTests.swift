#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Authentication attempts of a task")
struct RecipientAuthenticationTests {
    let store: CredentialStore
    let server = ProtectionSpace.Server(scheme: "http", host: "host", port: 80)
    let user = URLCredential(user: "u", password: "p", persistence: .forSession)
    let stranger = URLCredential(user: "x", password: "y", persistence: .none)

    init() {
        store = CredentialStore(storage: URLSessionConfiguration.ephemeral.urlCredentialStorage)
    }

    private func request(userCredential: UserCredential? = nil, host: String = "host")
        -> RecipientAuthentication.Request
    {
        .testing(userCredential: userCredential, host: host)
    }

    /// Has credentials known by a task of its own.
    private func know(_ field: String, _ credential: URLCredential? = nil, userCredential: UserCredential? = nil) throws
    {
        let recipient = Task(store)
        let request = request(userCredential: userCredential)
        let question = try recipient.demand(field, to: request)
        #expect(recipient.use(credential ?? user, for: question, of: request))
        _ = recipient.send(request)
        recipient.accept(request)
    }

    @Test("Refusals are counted, and the last refused credential is proposed")
    func failures() throws {
        let recipient = Task(store)
        let first = try recipient.demand("Basic realm=r")
        #expect(first.failureCount == 0 && first.untried == nil && first.refused == nil)
        #expect(recipient.use(user, for: first, of: request()))
        #expect(recipient.send() == "Basic dTpw")
        let second = try recipient.demand("Basic realm=r")
        #expect(second.failureCount == 1 && second.untried == nil && second.refused?.user == "u")
        #expect(recipient.use(stranger, for: second, of: request()))
        #expect(recipient.send() == "Basic eDp5")
        #expect(try recipient.demand("Basic realm=r").failureCount == 2)
        // A request without credentials of the engine's is no failure.
        #expect(recipient.send() == nil)
        #expect(try recipient.demand("Basic realm=r").failureCount == 2)
    }

    @Test("The number of challenges that a delegate gets for one task is limited")
    func limit() throws {
        let recipient = Task(store)
        for count in 0..<RecipientAuthentication.failureLimit {
            let question = try recipient.demand("Basic realm=r")
            #expect(question.failureCount == count)
            #expect(recipient.use(user, for: question, of: request()))
            _ = recipient.send()
        }
        #expect(throws: Task.Unexpected.self) { try recipient.demand("Basic realm=r") }
    }

    @Test("By default the credential of the URL is tried, then that of the storage, each once")
    func defaults() throws {
        let userCredential = UserCredential(user: "url", password: "1")
        let request = request(userCredential: userCredential)
        store.store(user, for: ProtectionSpace(server: server, realm: "r", scheme: .basic))
        let recipient = Task(store)
        for (index, name) in ["url", "u", nil].enumerated() {
            let question = try recipient.demand("Basic realm=r", to: request)
            #expect(question.untried?.user == name)
            #expect(question.failureCount == index)
            guard let credential = question.untried else { break }
            #expect(recipient.use(credential, for: question, of: request))
            _ = recipient.send(request)
        }
    }

    @Test("Accepted credentials are sent without a challenge, unless the request has its own")
    func known() throws {
        try know("Basic realm=r")
        let recipient = Task(store)
        #expect(recipient.send(usesKnown: false) == nil)
        #expect(recipient.send() == "Basic dTpw")
        #expect(recipient.send(request(host: "other")) == nil)
        #expect(store.defaultCredential(for: ProtectionSpace(server: server, realm: "r", scheme: .basic)) != nil)
    }

    @Test("A credential without persistence is used by its task only")
    func unstored() throws {
        try know("Basic realm=r", stranger)
        let recipient = Task(store)
        #expect(recipient.send() == nil)
        #expect(store.storage?.allCredentials.isEmpty == true)
    }

    @Test("Credentials of a URL are sent only for requests with the same user and password")
    func owners() throws {
        let userCredential = UserCredential(user: "a", password: "1")
        try know("Basic realm=r", userCredential.credential, userCredential: userCredential)
        let recipient = Task(store)
        #expect(recipient.send(request(userCredential: userCredential)) == "Basic YTox")
        #expect(recipient.send(request()) == nil)
        #expect(recipient.send(request(userCredential: UserCredential(user: "a", password: "2"))) == nil)
        try know("Basic realm=r")
        #expect(recipient.send(request(userCredential: userCredential)) == "Basic YTox")
        #expect(recipient.send(request(userCredential: UserCredential(user: "b", password: ""))) == nil)
        #expect(recipient.send(request()) == "Basic dTpw")
        #expect(store.storage?.allCredentials.values.first?.keys.sorted() == ["u"])
    }

    @Test("Known credentials are removed after a refusal, which counts as a failure")
    func refused() throws {
        try know("Basic realm=r")
        let recipient = Task(store)
        _ = recipient.send()
        let question = try recipient.demand("Basic realm=r")
        #expect(question.failureCount == 1)
        // It is in the storage still, and was refused.
        #expect(question.untried == nil && question.refused?.user == "u")
        #expect(store.known.isEmpty)
    }

    @Test("A credential that was removed from the storage is not sent any more")
    func logout() throws {
        try know("Basic realm=r")
        let (space, credentials) = try #require(store.storage?.allCredentials.first)
        for credential in credentials.values { store.storage?.remove(credential, for: space) }
        let recipient = Task(store)
        #expect(recipient.send() == nil)
        #expect(store.known.isEmpty)
    }

    @Test("Known Digest credentials are renewed once for any new nonce, and more often only for a stale one")
    func renewal() throws {
        try know("Digest realm=r, nonce=a, qop=auth")
        let recipient = Task(store)
        _ = recipient.send()
        #expect(recipient.isRenewal("Digest realm=r, nonce=b, qop=auth"))
        #expect(recipient.send()?.contains("nonce=\"b\"") == true)
        #expect(recipient.isRenewal("Basic realm=r", "Digest realm=r, nonce=c, qop=auth, stale=TRUE"))
        #expect(recipient.send()?.contains("nonce=\"c\"") == true)
        #expect(try recipient.demand("Digest realm=r, nonce=d, qop=auth").failureCount == 1)
        // Else every further task would send it again, and be refused twice.
        #expect(store.known.isEmpty)
    }

    @Test("A user name with a colon is not used for Basic, because a server would read the rest as the password")
    func colon() throws {
        let user = URLCredential(user: "a:b", password: "p", persistence: .forSession)
        let recipient = Task(store)
        let digest = try recipient.demand("Digest realm=r, nonce=n, qop=auth, Basic realm=r")
        #expect(recipient.use(user, for: digest, of: request()))
        #expect(recipient.send()?.contains("username=\"a:b\"") == true)
        let basic = try recipient.demand("Basic realm=r")
        #expect(!recipient.use(user, for: basic, of: request()))
        #expect(recipient.send() == nil)
    }

    @Test("The number of renewals of a stale nonce is limited")
    func alwaysStale() throws {
        let recipient = Task(store)
        let question = try recipient.demand("Digest realm=r, nonce=a")
        #expect(recipient.use(user, for: question, of: request()))
        var renewals = 0
        repeat {
            _ = recipient.send()
            renewals += 1
        } while renewals < 100 && recipient.isRenewal("Digest realm=r, nonce=b, stale=true")
        #expect(renewals == HTTPAuthentication.renewalLimit + 1)
    }

    @Test("A stale nonce is replaced by the one that another task has received meanwhile")
    func replaced() throws {
        try know("Digest realm=r, nonce=a, qop=auth")
        let recipient = Task(store)
        _ = recipient.send()
        try know("Digest realm=r, nonce=b, qop=auth")
        #expect(recipient.isRenewal("Digest realm=r, nonce=c, qop=auth, stale=true"))
        #expect(recipient.send()?.contains("nonce=\"b\"") == true)
        recipient.accept(request(), info: ["nextnonce=\"d\""])
        #expect(recipient.send()?.contains("nonce=\"d\"") == true)
    }

    @Test("After a rejected protection space, the next one is offered")
    func rejected() throws {
        let recipient = Task(store)
        let first = try recipient.demand("Basic realm=r, Digest realm=r, nonce=n, Digest realm=r, nonce=m")
        #expect(first.space.scheme == .digest)
        let second = try #require(recipient.demand(after: first))
        #expect(second.space.scheme == .basic)
        #expect(recipient.demand(after: second) == nil)
    }

    @Test("Another server gets no credentials of the previous one, and its failures are counted from zero")
    func otherServer() throws {
        let recipient = Task(store)
        let question = try recipient.demand("Basic realm=r")
        #expect(recipient.use(stranger, for: question, of: request()))
        _ = recipient.send()
        _ = try recipient.demand("Basic realm=r")
        let other = request(host: "other")
        #expect(recipient.send(other) == nil)
        let next = try recipient.demand("Basic realm=r", to: other)
        #expect(next.failureCount == 0 && next.refused == nil)
    }

    @Test("A Negotiate ticket needs an explicit credential without a name, and is not sent by default")
    func negotiate() throws {
        let recipient = Task(store)
        let question = try recipient.demand("Negotiate")
        #expect(question.untried == nil)
        #expect(!recipient.use(user, for: question, of: request()))
        #expect(recipient.use(URLCredential(user: "", password: "", persistence: .none), for: question, of: request()))
        let userCredential = UserCredential(user: "", password: "")
        #expect(recipient.authorization() == .connection(.negotiate, userCredential))
        #expect(recipient.isOnConnection)
        #expect(recipient.authorization(request(host: "other")) == .nothing)
    }
}

/// The attempts of one task.
private final class Task {
    struct Unexpected: Error {}

    private let store: CredentialStore
    private var recipient = RecipientAuthentication()

    init(_ store: CredentialStore) { self.store = store }

    var isOnConnection: Bool { recipient.isOnConnection }

    func authorization(_ request: RecipientAuthentication.Request = .testing(), usesKnown: Bool = true)
        -> RecipientAuthentication.Authorization
    {
        recipient.authorization(for: request) { usesKnown ? store.use(for: request) : nil }
    }

    func send(_ request: RecipientAuthentication.Request = .testing(), usesKnown: Bool = true) -> String? {
        guard case .field(let field) = authorization(request, usesKnown: usesKnown) else { return nil }
        return field
    }

    /// The question that a refusal leads to.
    func demand(_ fields: String..., to request: RecipientAuthentication.Request = .testing()) throws
        -> CredentialDemand
    {
        let (demand, changes) = recipient.demand(of: fields, to: request, from: store, schemes: [.ntlm, .negotiate])
        store.apply(changes)
        guard case .credential(let question) = demand else { throw Unexpected() }
        return question
    }

    func demand(after demand: CredentialDemand) -> CredentialDemand? {
        recipient.demand(after: demand, to: .testing(), from: store)
    }

    func isRenewal(_ fields: String...) -> Bool {
        let (demand, changes) = recipient.demand(of: fields, to: .testing(), from: store, schemes: [])
        store.apply(changes)
        if case .renewal = demand { return true }
        return false
    }

    func use(_ credential: URLCredential, for demand: CredentialDemand, of request: RecipientAuthentication.Request)
        -> Bool
    {
        recipient.use(credential, for: demand, of: request)
    }

    func accept(_ request: RecipientAuthentication.Request, info: [String] = []) {
        store.apply(recipient.noteAcceptance(of: request, info: info))
    }
}

extension RecipientAuthentication.Request {
    fileprivate static func testing(userCredential: UserCredential? = nil, host: String = "host") -> Self {
        let server = ProtectionSpace.Server(scheme: "http", host: host, port: 80)
        return Self(server: server, path: "/", method: "GET", target: "/", userCredential: userCredential)
    }
}
#endif
