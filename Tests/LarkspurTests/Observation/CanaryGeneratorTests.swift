import Foundation
import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

/// Sends a word at random places of random structures, in every format that is printed or written.
///
/// `LARKSPUR_CANARIES` sets the number of calls.
@Suite("No secret of a random structure is printed", .seeded, .timeLimit(.minutes(5)))
struct CanaryGeneratorTests {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test(
        "Logs, archives, commands, headers, errors and cassettes do not contain the secret",
        arguments: TestTransport.allCases
    )
    func everywhere(_ transport: TestTransport) async throws {
        var generator = CanaryGenerator(seed: TestSeed.value)
        let server = try LoopbackServer()
        let folder = TemporaryFolder()

        for number in 0..<(Self.number("LARKSPUR_CANARIES") ?? 60) {
            let printed = Recorder<(sink: String, text: String)>()
            let recorder = HARRecorder()
            let logger = ConsoleLogger(level: .content, contentLimit: 1 << 20) { printed.record(("log", $0)) }
            let sample = generator.sample()
            var response = LoopbackServer.Response.data(Data(sample.answer.text.utf8))
            response.status = [200, 200, 404, 500].randomElement(using: &generator.random) ?? 200
            response.headers["Content-Type"] = sample.answer.type
            response.headers[sample.answerField.name] = sample.answerField.value
            server.route("/\(number)", response)

            let file = folder.url.appendingPathComponent("\(number).json")
            let cassette = try Cassette(file, mode: .record, transport: transport.transport)
            for manager in [
                transport.makeManager(for: server),
                SessionManager(baseURL: server.baseURL, configuration: .testing, transport: cassette.transport),
            ] {
                manager.observers = [logger, recorder]
                let base = server.url("/\(number)").absoluteString
                var request = URLRequest(url: try #require(URL(string: base + sample.suffix)))
                request.httpMethod = "POST"
                request.httpBody = Data(sample.content.text.utf8)
                request.setValue(sample.content.type, forHTTPHeaderField: "Content-Type")
                request.setValue(sample.field.value, forHTTPHeaderField: sample.field.name)
                let task = manager.dataTask(with: request)
                let result = await task.response()
                #expect(result.httpResponse != nil, "\(sample)")
                printed.record(("command", task.cURLDescription()))
                printed.record(("response", "\(result) \(result.httpResponse?.headers ?? [:])"))
                if let error = result.error { printed.record(("error", "\(error) \((error as NSError).userInfo)")) }
            }
            try cassette.save()
            printed.record(("cassette", try String(contentsOf: file, encoding: .utf8)))
            let archive = folder.url.appendingPathComponent("calls.har")
            try recorder.write(to: archive)
            printed.record(("archive", try String(contentsOf: archive, encoding: .utf8)))
            for (sink, text) in printed.values where CanaryGenerator.isFound(in: text) {
                Issue.record("\(sink) of call \(number) shows \(sample): \(text)")
                return
            }
        }
    }

    @Test("Without the redaction rule, the search finds the secret in each encoding")
    func control() {
        var generator = CanaryGenerator(seed: 1)
        for _ in 0..<500 {
            let sample = generator.sample()
            for text in [sample.suffix, sample.field.value, sample.content.text, sample.answer.text] {
                #expect(CanaryGenerator.isFound(in: text), "\(text)")
            }
        }
    }

    @Test("The redaction rule hides the secret at every place")
    func places() {
        var generator = CanaryGenerator(seed: TestSeed.value)
        let rule = Redaction.standard
        for _ in 0..<(Self.number("LARKSPUR_CANARIES") ?? 1_000) {
            let sample = generator.sample()
            let field = HTTPHeaders.Field(name: sample.field.name, value: sample.field.value)
            let content = rule.content(Data(sample.content.text.utf8), type: sample.content.type)
            for text in [
                rule.text("https://h/" + sample.suffix), rule.value(of: field),
                String(decoding: content, as: UTF8.self),
            ] {
                #expect(!CanaryGenerator.isFound(in: text), "\(sample) gives \(text)")
            }
        }
    }
}

/// Random structures with a secret at one place.
struct CanaryGenerator {
    /// A request and its response.
    struct Sample {
        let suffix: String
        let field: (name: String, value: String)
        let content: (type: String, text: String)
        let answerField: (name: String, value: String)
        let answer: (type: String, text: String)
    }

    private static let canary = "c4n4ry"
    private static let names = [
        "token", "access_token", "refreshToken", "clientSecret", "password", "X-Api-Key", "sig", "session_id",
        "SAMLResponse",
        "client_assertion", "assertion", "pin", "PHPSESSID", "jsessionid", "user.pwd", "csrf", "id_token", "SECRET",
    ]
    private static let parameters = names + ["code"]
    private static let noise = ["a", "page", "spinner", "x-y", "n0", "Name", "country", "text"]

    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Whether a text has the word, also percent-encoded or in base64.
    static func isFound(in text: String) -> Bool { isFound(canary, in: text) }

    /// Whether a text has a word, also percent-encoded or in base64.
    static func isFound(_ word: String, in text: String) -> Bool { SecretSearch.isFound(word, in: text) }

    mutating func sample() -> Sample {
        Sample(suffix: suffix(), field: field(), content: content(), answerField: answerField(), answer: content())
    }

    // MARK: Words

    private mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &random)] }

    /// The word between random characters.
    private mutating func secret(_ extra: String = "") -> String {
        let characters = Array("abcXYZ019-._~" + extra)
        let text = { (generator: inout SeededGenerator) in
            String(
                (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                    characters[Int.random(in: 0..<characters.count, using: &generator)]
                }
            )
        }
        let before = text(&random)
        return before + Self.canary + text(&random)
    }

    private mutating func name(_ names: [String]) -> String {
        let name = pick(names)
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: name.uppercased()
        case 1 where name.count > 1:
            name.prefix(1) + String(format: "%%%02X", name.utf8.dropFirst().first ?? 0) + name.dropFirst(2)
        default: name
        }
    }

    // MARK: Structures

    private mutating func form(
        _ depth: Int,
        separator: String = "&",
        names: [String] = CanaryGenerator.parameters
    ) -> String {
        var pairs = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            "\(pick(Self.noise))=\(pick(["", "1", "a+b", "%C3%A9"]))"
        }
        let pair =
            depth > 0 && Bool.random(using: &random)
            ? "\(pick(Self.noise))=\(escaped(nested(depth - 1)))" : "\(name(names))=\(secret("/+=,;?"))"
        pairs.insert(pair, at: Int.random(in: 0...pairs.count, using: &random))
        return pairs.joined(separator: separator)
    }

    private mutating func nested(_ depth: Int) -> String { Bool.random(using: &random) ? url(depth) : json(depth) }

    /// Escapes what a query does not have, and at random more.
    private mutating func escaped(_ text: String) -> String {
        let isEager = Bool.random(using: &random)
        return text.utf8.map { byte in
            let isPlain = UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            return isPlain && !isEager
                ? String(UnicodeScalar(byte)) : String(format: Bool.random(using: &random) ? "%%%02x" : "%%%02X", byte)
        }
        .joined()
    }

    private mutating func url(_ depth: Int) -> String {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: "https://\(pick(["ada", ""])):\(secret())@h.test/\(pick(["", "a/b"]))"
        case 1: "http://h.test:8080/a;v=1;\(name(Self.names))=\(secret())\(pick(["", "/b", "?a=b"]))"
        case 2: "/a/b#\(form(depth))"
        case 3: "https://h.test?\(form(depth, separator: pick(["&", ";"])))"
        default: "https://h.test/a%20b/?\(form(depth))\(pick(["", "#c"]))"
        }
    }

    /// The query and fragment of a request.
    private mutating func suffix() -> String { Bool.random(using: &random) ? "?" + form(2) : "?a=b#" + form(1) }

    private mutating func json(_ depth: Int) -> String {
        let inner = depth > 0 ? Int.random(in: 0..<6, using: &random) : 0
        return switch inner {
        case 0, 1: object(pick(Self.names), quoted(secret("/+=\"\\ é")))
        case 2: object(pick(Self.noise), json(depth - 1))
        case 3: "[1.5, \(json(depth - 1)), null]"
        case 4: object(pick(Self.noise), quoted(json(depth - 1)))
        default: object(pick(Self.noise), quoted(pick(["", "see "]) + url(depth - 1)))
        }
    }

    private mutating func object(_ name: String, _ value: String) -> String {
        let value = Int.random(in: 0..<6, using: &random) == 0 ? "[\(value), {}]" : value
        var members = (0..<Int.random(in: 0...2, using: &random)).map {
            "\"m\($0)\": \(pick(["1", "\"x\"", "{}", "[true]"]))"
        }
        members.insert(
            "\(quoted(name)):\(pick(["", " ", "\n"]))\(value)",
            at: Int.random(in: 0...members.count, using: &random)
        )
        return "{" + members.joined(separator: ", ") + "}"
    }

    /// XML such as a response of AWS's STS.
    private mutating func xml(_ depth: Int) -> String {
        // The name of an element has no escapes.
        let name = pick(Self.names)
        let inner =
            switch Int.random(in: 0..<6, using: &random) {
            case 0: "<a n:\(name)='\(secret())'/>"
            case 1: "<s name=\"\(name)\">\(secret())</s>"
            case 2: "<![CDATA[\(json(1))]]>"
            case 3 where depth > 0:
                "<b>\(xml(depth - 1).replacing("&", with: "&amp;").replacing("<", with: "&lt;"))</b>"
            default: "<\(name)>\(secret("/+="))</\(name)>"
            }
        let end = pick(["</Result></Response>", "", "<Expiration>2026</Expiration></Result></Response>", "</Resu"])
        return "<Response xmlns=\"https://sts.amazonaws.com/\"><Result><AccountId>1</AccountId>\(inner)\(end)"
    }

    private func quoted(_ text: String) -> String {
        (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }

    // MARK: Messages

    private mutating func field() -> (name: String, value: String) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: ("X-Api-Key", secret())
        case 1: ("Cookie", "a=\(secret())")
        case 2: ("X-Original-URL", url(2))
        case 3: ("Sec-WebSocket-Protocol", "chat, bearer, \(secret())")
        case 4: ("X-Data", json(2).replacing("\n", with: " "))
        default: (pick(["Referer", "Destination", "Link"]), "<\(url(2))>; rel=\"next\"")
        }
    }

    private mutating func answerField() -> (name: String, value: String) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: ("Set-Cookie", "a=\(secret()); Path=/")
        case 1: ("Refresh", "5; url=\(url(2))")
        case 2: ("Link", "</next>; rel=\"next\", <\(url(2))>; rel=\"last\"")
        default: ("Content-Location", url(2))
        }
    }

    private mutating func content() -> (type: String, text: String) {
        let line = { (text: String) in text.replacing("\n", with: " ") }
        switch Int.random(in: 0..<11, using: &random) {
        case 8, 9: return (pick(["text/xml", "application/xml", "application/soap+xml"]), xml(2))
        case 0: return ("application/x-www-form-urlencoded", form(2))
        case 1:
            return (
                pick(["application/x-ndjson", "application/jsonlines", "application/jsonl", "text/plain"]),
                "{\"a\": 1}\n\(line(json(2)))\n"
            )
        case 2:
            // `code` is a secret in forms and URLs alone, and a line of data is neither.
            let text = pick([json(2), form(1, names: Self.names)]).split(separator: "\n").map { "data: \($0)" }.joined(
                separator: "\n"
            )
            return ("text/event-stream", ": x\nid: 1\n\(text)\n\n")
        case 3:
            let field = "\(pick(["name", "NAME", "Name"]))=\"\(pick(Self.parameters))\""
            return ("multipart/form-data; boundary=b", part("Content-Disposition: form-data; \(field)", secret()))
        case 4:
            let field = "name*=utf-8''\(name(Self.parameters))"
            return ("multipart/form-data; boundary=b", part("Content-Disposition: form-data; \(field)", secret()))
        case 5:
            return (
                "multipart/related; boundary=b",
                part("Content-Type: \(pick(["application/json", "text/plain", "a/b+json"]))", json(2))
            )
        case 6: return ("application/json-seq", "\u{1E}\(json(2))\n")
        case 7: return ("text/plain", url(2))
        default:
            let type = pick(["application/json", "text/json; charset=utf-8", "application/problem+json", "text/plain"])
            return (type, pick(["", "\u{FEFF}", "\n"]) + json(3))
        }
    }

    private func part(_ field: String, _ content: String) -> String {
        "--b\r\nContent-Type: text/csv\r\n\r\n1,2\r\n--b\r\n\(field)\r\n\r\n\(content)\r\n--b--\r\n"
    }
}
