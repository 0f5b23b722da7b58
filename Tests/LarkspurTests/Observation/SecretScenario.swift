import LarkspurTesting
import LarkspurTransport
import Synchronization

@testable import Larkspur

/// A random call with secrets in random places, and the servers that it meets.
///
/// There are two words. The generator's canary is in the URL, the fields and the content, which redirects may pass on;
/// it must not be printed. The bound word is in credentials and cookies, which in addition belong to one origin.
struct SecretScenario: CustomStringConvertible {
    /// The word in secrets that belong to one origin.
    static let boundWord = "b0und5ecr3t"

    /// The places of secrets that belong to the origin.
    enum Place: String, CaseIterable, Sendable {
        case ownAuthorization, ownCookie, settings, basicSettings, userInfo, storage, hook, callCredential, jar
        case tokenField, oauth, failingOAuth, netrc, signature
    }

    /// A step of the origin's script. The last step repeats.
    enum Step: Sendable, CustomStringConvertible {
        case answer(Int)
        case redirect(Int, toOther: Bool)
        case challenge(String)
        case broken(LoopbackServer.Fault)

        var description: String {
            switch self {
            case .answer(let status): "\(status)"
            case .redirect(let status, let toOther): "\(status) \(toOther ? "away" : "here")"
            case .challenge(let scheme): "401 \(scheme)"
            case .broken(let fault): fault.rawValue
            }
        }
    }

    enum Kind: String, CaseIterable, Sendable {
        case await, chain, upload, download, cancelledDownload, stream, events, webSocket, pages
    }

    let kind: Kind
    let places: Set<Place>
    let steps: [Step]
    let otherChallenges: Bool
    let isProxied: Bool
    let isCached: Bool
    let isRecorded: Bool
    let retries: Bool
    let sample: CanaryGenerator.Sample
    /// The variant of the secrets, so that they stand at different offsets of base64.
    let padding: String

    init(using generator: inout CanaryGenerator) {
        func flag(of count: Int) -> Bool { Int.random(in: 0..<count, using: &generator.random) == 0 }
        kind = Kind.allCases.randomElement(using: &generator.random) ?? .await
        let all = Place.allCases.shuffled(using: &generator.random)
        places = Set(all.prefix(Int.random(in: 1...4, using: &generator.random)))
        let faults = LoopbackServer.Fault.allCases.filter { $0.outcome == .failure }
        var steps: [Step] = (0..<Int.random(in: 0...3, using: &generator.random)).map { _ in
            switch Int.random(in: 0..<8, using: &generator.random) {
            case 0...3:
                let status = [301, 302, 303, 307, 308].randomElement(using: &generator.random) ?? 302
                return .redirect(status, toOther: Int.random(in: 0..<4, using: &generator.random) > 0)
            case 4, 5: return .challenge(Bool.random(using: &generator.random) ? "Basic" : "Digest")
            case 6: return .broken(faults.randomElement(using: &generator.random) ?? .shortBody)
            default: return .answer(503)
            }
        }
        steps.append(.answer([200, 200, 200, 404, 500].randomElement(using: &generator.random) ?? 200))
        self.steps = steps
        otherChallenges = flag(of: 3)
        isProxied = flag(of: 4)
        isCached = flag(of: 4)
        isRecorded = flag(of: 5)
        retries = flag(of: 2)
        var sample = generator.sample()
        while kind == .events, sample.answer.type != "text/event-stream" { sample = generator.sample() }
        self.sample = sample
        padding = String(repeating: "p", count: Int.random(in: 0..<3, using: &generator.random))
    }

    var description: String {
        """
        \(kind) with \(places.map(\.rawValue).sorted()) over \(steps)\(otherChallenges ? ", challenged elsewhere" : "")\
        \(isProxied ? ", by a proxy" : "")\(isCached ? ", cached" : "")\(isRecorded ? ", recorded" : "")\
        \(retries ? ", repeated" : ""), \(sample)
        """
    }

    /// A secret that belongs to the origin.
    var bound: String { padding + Self.boundWord }

    /// Whether content of the response is stored, so that it is not searched for.
    var storesContent: Bool { isCached || kind == .download || kind == .cancelledDownload }
}

/// The servers of a scenario: an origin, another origin, and a proxy that stands for both.
final class SecretServers: Sendable {
    let origin: LoopbackServer
    let other: LoopbackServer
    let proxy: LoopbackServer
    private let script = Mutex<(scenario: SecretScenario?, count: Int)>((nil, 0))

    init() throws {
        origin = try LoopbackServer()
        other = try LoopbackServer()
        proxy = try LoopbackServer()
        // The servers belong to this object, so that their handlers must not retain it.
        origin.route("*") { [weak self] _ in self?.next() ?? .status(500) }
        origin.webSocket("/socket") { socket in
            for message in socket { try socket.send(message) }
        }
        other.route("*") { [weak self] in self?.answerElsewhere($0) ?? .status(500) }
        proxy.route("*") { [weak self] request in
            guard request.headers["Proxy-Authorization"] != nil else {
                return .status(407).adding("Proxy-Authenticate", #"Basic realm="p""#)
            }
            if request.target.hasPrefix("http://other.test") { return self?.answerElsewhere(request) ?? .status(500) }
            return self?.next() ?? .status(500)
        }
    }

    /// Begins a scenario.
    func begin(_ scenario: SecretScenario) {
        for server in [origin, other, proxy] { server.clearRequests() }
        script.withLock { $0 = (scenario, 0) }
    }

    func base(_ scenario: SecretScenario) -> String {
        scenario.isProxied ? "http://origin.test" : origin.baseURL.absoluteString
    }

    /// The base of the other origin, which has another host, because the ports of a host share their cookies.
    func otherBase(_ scenario: SecretScenario) -> String {
        scenario.isProxied ? "http://other.test" : "http://localhost:\(other.port)"
    }

    /// The requests that the other origin has got, as text.
    func elsewhere(_ scenario: SecretScenario) -> [String] {
        let requests =
            scenario.isProxied ? proxy.requests.filter { $0.target.hasPrefix("http://other.test") } : other.requests
        return requests.map { request in
            // The proxy's own credentials reach only the proxy.
            let fields = request.headers.filter { $0.name != "Proxy-Authorization" || !scenario.isProxied }
                .map { "\($0.name): \($0.value)" }
            return
                "\(request.target)\n\(fields.joined(separator: "\n"))\n\n\(String(decoding: request.body, as: UTF8.self))"
        }
    }

    /// The requests that the origin has got, as text.
    func atOrigin(_ scenario: SecretScenario) -> [String] {
        (scenario.isProxied ? proxy.requests : origin.requests).map { "\($0.target)\n\($0.headers)" }
    }

    private func answerElsewhere(_ request: LoopbackServer.Request) -> LoopbackServer.Response {
        guard let scenario = script.withLock({ $0.scenario }), scenario.otherChallenges,
            request.headers["Authorization"] == nil
        else { return .text("elsewhere") }
        return .text("denied", status: 401).adding("WWW-Authenticate", #"Basic realm="r""#)
    }

    private func next() -> LoopbackServer.Response {
        let (scenario, step) = script.withLock { script -> (SecretScenario?, SecretScenario.Step) in
            defer { script.count += 1 }
            guard let scenario = script.scenario else { return (nil, .answer(500)) }
            return (scenario, scenario.steps[min(script.count, scenario.steps.count - 1)])
        }
        guard let scenario else { return .status(500) }
        switch step {
        case .answer(let status): return answer(scenario, status)
        case .redirect(let status, let toOther):
            let base = toOther ? otherBase(scenario) : base(scenario)
            let redirect = LoopbackServer.Response.redirect(to: base + "/next" + scenario.sample.suffix, status: status)
            // A stored response has its fields.
            return scenario.isCached ? redirect : redirect.adding("Set-Cookie", "session=\(scenario.bound); Path=/")
        case .challenge(let scheme):
            let challenge = scheme == "Basic" ? #"Basic realm="r""# : #"Digest realm="r", nonce="n", qop="auth""#
            return .text("denied", status: 401).adding("WWW-Authenticate", challenge)
        case .broken(let fault): return .fault(fault)
        }
    }

    private func answer(_ scenario: SecretScenario, _ status: Int) -> LoopbackServer.Response {
        if scenario.kind == .pages {
            return .json("[]", status: status).adding("Link", "<\(otherBase(scenario))/next>; rel=next")
        }
        let content = scenario.storesContent ? "x" : scenario.sample.answer.text
        var response = LoopbackServer.Response.data(Data(content.utf8), status: status)
        response.headers["Content-Type"] = scenario.storesContent ? "text/plain" : scenario.sample.answer.type
        if scenario.kind == .cancelledDownload {
            response.body = [.bytes(Data(count: 5_000)), .wait(LoopbackServer.Gate())]
        }
        response.framing = scenario.kind == .cancelledDownload ? .chunked : response.framing
        if scenario.storesContent {
            response.headers["Cache-Control"] = "max-age=600"
            response.headers["ETag"] = "\"1\""
        } else {
            response.headers[scenario.sample.answerField.name] = scenario.sample.answerField.value
        }
        return scenario.isCached ? response : response.adding("Set-Cookie", "answer=\(scenario.bound); Path=/")
    }
}
