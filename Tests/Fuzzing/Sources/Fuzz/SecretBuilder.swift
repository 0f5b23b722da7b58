import Foundation
import FoundationNetworking
import HTTPSyntax
import JSONSyntax

@testable import Larkspur
@testable import LarkspurTesting

/// A builder of requests that have a secret at places at which secrets are hidden. The input determines the structure:
/// the kind of the content, its nesting, the names, and the harmless values between.
///
/// The check prints the request in every form in which the framework prints requests. None of them may have the secret.
struct SecretBuilder {
    /// The secret. No other text of the builder has it.
    private static let secret = "CANARY7f3a9"

    private static let names = [
        "token", "access_token", "refreshToken", "password", "passwd", "api_key", "API-KEY", "apiKey", "client_secret",
        "sessionid", "sid", "csrf_token", "X-Amz-Signature", "sig", "jwt", "credentials", "my.pin", "private_key",
        "otp",
        "Authorization", "x_auth", "SAMLResponse", "code_verifier", "id_token_hint", "Session-Token",
    ]

    private static let fieldNames = ["Authorization", "Cookie", "X-Api-Key", "Proxy-Authorization", "X-Session-Id"]

    private var choices: Choices

    init(_ bytes: [UInt8]) { choices = Choices(bytes) }

    mutating func check() {
        let (content, type) = content(depth: 3)
        let url = url(depth: 2)
        let rule = Redaction.standard
        expectHidden(rule.content(Data(content), type: type), "content of the type \(type ?? "none")", content)
        expectHidden(Data(rule.text(url).utf8), "a text with a URL", Array(url.utf8))
        guard let address = URL(string: url) else { return }
        expectHidden(Data(rule.text(of: address).utf8), "a URL", Array(url.utf8))
        var request = URLRequest(url: address)
        request.httpMethod = "POST"
        request.httpBody = Data(content)
        if let type { request.setValue(type, forHTTPHeaderField: "Content-Type") }
        request.setValue(Self.secret, forHTTPHeaderField: choices.element(of: Self.fieldNames))
        request.setValue(url, forHTTPHeaderField: choices.element(of: ["Referer", "Link", "X-Next", "Destination"]))
        print(request, content, type)
    }

    /// Prints a request in every form.
    private func print(_ request: URLRequest, _ content: [UInt8], _ type: String?) {
        let all = content + Array("\n\(request.url?.absoluteString ?? "")".utf8)
        expectHidden(Data(request.cURLDescription().utf8), "a command for curl", all)
        let recorded = CassetteRedaction(redaction: .standard).request(request)
        var fields = ["Location": request.url?.absoluteString ?? "", "Set-Cookie": "a=\(Self.secret)"]
        if let type { fields["Content-Type"] = type }
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
        else { return }
        let answer = CassetteRedaction(redaction: .standard).response(response, Data(content))
        let cassette = CassetteFile.write([Interaction(request: recorded, response: answer)])
        expectHidden(cassette, "a cassette", all)
        let completion = TaskCompletion(
            serializer: nil,
            data: Data(content),
            error: nil,
            fileURL: nil,
            timeline: Timeline(),
            serialized: nil
        )
        let result = TransferResult(request: request, received: .init(response), data: Data(content))
        let event = CallEvent(.completed, of: nil, attempt: 1, .completion(completion, result), CallIdentity())
        let builder = HAREntryBuilder(redaction: .standard, contentLimit: 1 << 20)
        let archive = HARArchive(log: .init(entries: builder.entries(of: event, completion), comment: nil))
        guard let har = try? JSONEncoder().encode(archive) else { return require(false, "an archive can be written") }
        require(har.count > 200, "an archive has an entry")
        expectHidden(har, "an archive", all)
    }

    private func expectHidden(_ shown: Data, _ place: String, _ original: [UInt8]) {
        require(
            shown.range(of: Data(Self.secret.utf8)) == nil,
            "\(place) has the secret:\n  \(String(decoding: original, as: UTF8.self).debugDescription)\n  "
                + "\(String(decoding: shown, as: UTF8.self).debugDescription)"
        )
    }

    // MARK: Structures

    /// Returns the name of a secret, in one of the ways in which names are written.
    private mutating func secretName() -> String {
        let name = choices.element(of: Self.names)
        switch choices.number(below: 4) {
        case 0: return name.uppercased()
        case 1: return "user_" + name
        default: return name
        }
    }

    private mutating func harmlessName() -> String {
        choices.element(of: ["id", "name", "q", "page", "items", "x", ""])
    }

    /// Returns a harmless text of any characters.
    private mutating func filler() -> String { String(choices.text().prefix(40)) }

    private mutating func content(depth: Int) -> (bytes: [UInt8], type: String?) {
        switch choices.number(below: 8) {
        case 0: (json(depth: depth).compact, choices.element(of: ["application/json", "application/hal+json", nil]))
        case 1:
            (
                (json(depth: depth).compact + [.lineFeed] + json(depth: depth).compact + [.lineFeed]),
                choices.element(of: ["application/x-ndjson", "application/jsonl"])
            )
        case 2: (Array(form(depth: depth).utf8), "application/x-www-form-urlencoded")
        case 3: (Array(form(depth: depth).utf8), nil)
        case 4: (events(depth: depth), "text/event-stream")
        case 5: (multipart(depth: depth), "multipart/form-data; boundary=\"a boundary\"")
        case 6: (json(depth: depth).compact, "text/plain")
        default:
            ([0x1E] + json(depth: depth).compact + [.lineFeed], "application/json-seq")
        }
    }

    /// Returns JSON with the secret at one place.
    private mutating func json(depth: Int) -> JSONNode {
        let inner: JSONNode
        switch depth > 0 ? choices.number(below: 7) : 0 {
        case 1: inner = json(depth: depth - 1)
        case 2: inner = JSONNode(.string(String(decoding: json(depth: depth - 1).compact, as: UTF8.self)))
        case 3: inner = JSONNode(.string(url(depth: depth - 1)))
        case 4: inner = JSONNode(.array([harmlessJSON(), json(depth: depth - 1)]))
        case 5: inner = JSONNode(.string(form(depth: depth - 1)))
        default: return object(secretName(), hidden())
        }
        return choices.flag() ? JSONNode(.array([inner, harmlessJSON()])) : object(harmlessName(), inner)
    }

    /// Returns a value of a secret name: the secret itself, or a structure that contains it.
    private mutating func hidden() -> JSONNode {
        let secret = JSONNode(.string(Self.secret))
        switch choices.number(below: 4) {
        case 1: return JSONNode(.array([harmlessJSON(), secret]))
        case 2: return JSONNode(.object([.init(name: harmlessName(), value: secret)]))
        case 3: return JSONNode(.string(filler() + Self.secret + filler()))
        default: return secret
        }
    }

    private mutating func harmlessJSON() -> JSONNode {
        switch choices.number(below: 5) {
        case 0: JSONNode(.null)
        case 1: JSONNode(.number("-1.50e9"))
        case 2: JSONNode(.bool(choices.flag()))
        default: JSONNode(.string(filler()))
        }
    }

    private mutating func object(_ name: String, _ value: JSONNode) -> JSONNode {
        var members = [JSONNode.Member(name: name, value: value)]
        for _ in 0..<choices.number(below: 3) {
            members.insert(
                .init(name: harmlessName(), value: harmlessJSON()),
                at: choices.number(below: 2) % members.count
            )
        }
        return JSONNode(.object(members))
    }

    private func escaped(_ text: String) -> String {
        PercentEncoding.escapingAll(text) { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
    }

    /// Returns a form or a query with the secret at one place.
    private mutating func form(depth: Int) -> String {
        var pairs: [String] = []
        for _ in 0..<choices.number(below: 3) { pairs.append(escaped(harmlessName()) + "=" + escaped(filler())) }
        let pair: String
        switch depth > 0 ? choices.number(below: 5) : 0 {
        case 1: pair = "u=" + escaped(url(depth: depth - 1))
        case 2: pair = "j=" + escaped(String(decoding: json(depth: depth - 1).compact, as: UTF8.self))
        case 3: pair = "f=" + escaped(form(depth: depth - 1))
        case 4:
            // A single pair may be part of a sentence, where a code is not a secret.
            pair = "code=" + Self.secret
            if pairs.isEmpty { pairs.append("x=1") }
        default: pair = escaped(secretName()) + "=" + (choices.flag() ? escaped(filler()) : "") + Self.secret
        }
        pairs.insert(pair, at: choices.number(below: pairs.count + 1))
        return pairs.joined(separator: "&")
    }

    /// Returns a URL with the secret at one place.
    private mutating func url(depth: Int) -> String {
        let host = choices.element(of: ["a.example", "127.0.0.1:8080", "[::1]"])
        let path = choices.element(of: ["", "/", "/a/b", "/a%20b", "//x"])
        switch choices.number(below: 5) {
        case 0: return "https://user:\(Self.secret)@\(host)\(path)?q=\(escaped(filler()))"
        case 1: return "https://\(Self.secret)@\(host)\(path)"
        case 2: return "https://\(host)\(path)#" + form(depth: depth)
        case 3: return "https://\(host)/a;\(escaped(secretName()))=\(Self.secret)/b?q=1"
        default: return "https://\(host)\(path)?" + form(depth: depth)
        }
    }

    private mutating func events(depth: Int) -> [UInt8] {
        var lines = Array(["event: x", "id: 1", ": comment"].prefix(choices.number(below: 4)))
        let lineEnd = choices.element(of: ["\n", "\r\n", "\r"])
        if choices.flag() {
            var pretty: [UInt8] = []
            json(depth: depth).write(to: &pretty, indentation: 2)
            let text = String(decoding: pretty, as: UTF8.self)
            lines += text.split(separator: "\n").map { "data: " + $0 }
        } else {
            lines.append("data:" + form(depth: depth))
        }
        return Array(
            (lines + ["", "data: " + String(decoding: json(depth: depth).compact, as: UTF8.self), "", ""])
                .joined(separator: lineEnd).utf8
        )
    }

    private mutating func multipart(depth: Int) -> [UInt8] {
        var parts: [String] = []
        let name = secretName()
        switch choices.number(below: 4) {
        case 0: parts.append("Content-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(Self.secret)")
        case 1: parts.append("content-disposition: form-data; NAME=\(name)\r\n\r\n\(Self.secret)")
        case 2:
            let text = String(decoding: json(depth: depth).compact, as: UTF8.self)
            parts.append("Content-Disposition: form-data; name=\"j\"\r\nContent-Type: application/json\r\n\r\n\(text)")
        default: parts.append("Content-Disposition: form-data; name=\"f\"\r\n\r\n\(form(depth: depth))")
        }
        if choices.flag() { parts.insert("Content-Disposition: form-data; name=\"a\"\r\n\r\n1", at: 0) }
        return Array((parts.map { "--a boundary\r\n\($0)\r\n" }.joined() + "--a boundary--\r\n").utf8)
    }
}
