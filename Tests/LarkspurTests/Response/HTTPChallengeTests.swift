import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Challenges of a response", .timeLimit(.minutes(5)))
struct HTTPChallengeTests {
    private struct Row: Sendable {
        let field: String
        let challenges: [String]

        init(_ field: String, _ challenges: String...) {
            self.field = field
            self.challenges = challenges
        }
    }

    private static let rows = [
        Row("", ""), Row(",", ""), Row("=", ""), Row("realm=\"none\"", ""),
        Row("Negotiate", "Negotiate - "), Row("Negotiate YWJj==", "Negotiate YWJj== "),
        Row("Bearer realm=\"https://a.test/token\",service=\"r\"", "Bearer - realm=https://a.test/token service=r"),
        // RFC 9110, section 11.6.1.
        Row(
            "Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\"",
            "Basic - realm=simple",
            "Newauth - realm=apps title=Login to \"apps\" type=1"
        ),
        Row("basic REALM=\"a, b\" , , Digest nonce = n", "basic - realm=a, b", "Digest - nonce=n"),
        Row("Basic realm=\"open", "Basic - realm=open"), Row("Basic realm=a, realm=b", "Basic - realm=a"),
    ]

    private func text(_ challenge: HTTPChallenge) -> String {
        let parameters = challenge.parameters.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
        return "\(challenge.scheme) \(challenge.token68 ?? "-") \(parameters.joined(separator: " "))"
    }

    @Test("Challenges are parsed from the value of a field", arguments: rows)
    private func parsing(_ row: Row) {
        #expect(HTTPChallenge.challenges(in: row.field).map(text) == row.challenges.filter { !$0.isEmpty })
    }

    @Test("Names of parameters are case-insensitive")
    func names() {
        let challenge = HTTPChallenge.challenges(in: "Bearer Realm=\"a\"").first
        #expect(challenge?["realm"] == "a" && challenge?["REALM"] == "a" && challenge?["scope"] == nil)
        #expect(challenge?.parameters == ["realm": "a"])
    }

    @Test("A response has the challenges of all its fields", arguments: TestTransport.allCases)
    func fields(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        server.route("/several") { _ in
            var response = LoopbackServer.Response.status(401)
            response.headers.append("WWW-Authenticate", "Bearer realm=\"a, b\", scope=c")
            response.headers.append("WWW-Authenticate", "Keys")
            response.headers.append("Proxy-Authenticate", "Other")
            return response
        }
        let manager = transport.makeManager(for: server)

        let several = await manager.get("several").response().httpResponse
        let none = await manager.get("get").response().httpResponse

        #expect(several?.challenges.map(text) == ["Bearer - realm=a, b scope=c", "Keys - "])
        #expect(none?.challenges.isEmpty == true)
    }

    @Test("For the status 407, the challenges are those of the proxy")
    func proxy() throws {
        let fields = ["WWW-Authenticate": "Keys", "Proxy-Authenticate": "Basic realm=p"]
        let url = try #require(URL(string: "http://a.test"))
        let response = HTTPURLResponse(url: url, statusCode: 407, httpVersion: nil, headerFields: fields)
        #expect(response?.challenges.map(text) == ["Basic - realm=p"])
    }
}
