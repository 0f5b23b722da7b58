#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Octets that are not UTF-8") struct OctetTextTests {
    @Test("Octets are unchanged after a conversion to text and back", .seeded)
    func roundTrip() {
        var generator = SeededGenerator()
        let parts: [[UInt8]] = [
            [0x41], [0x22], [0xE4], [0x80], [0xC3, 0xA4], [0xC3], [0xE2, 0x84, 0xAA], [0xE2, 0x84],
            [0xF0, 0x9F, 0x8D, 0x8E],
            [0xF4, 0x8F, 0xBE, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], [0xF4, 0x8F, 0xBE], [0xF4, 0x90, 0x80, 0x80], [0xFF],
            [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xCC, 0x81],
        ]
        for _ in 0..<2000 {
            let octets = (0..<Int.random(in: 0...6, using: &generator)).flatMap { _ in
                parts.randomElement(using: &generator) ?? []
            }
            let text = String(octets: octets)
            #expect(text.octets == octets)
            #expect(String(octets: text.octets) == text)
            if let valid = String(validating: octets, as: UTF8.self), !valid.hasOctets { #expect(text == valid) }
            #expect(text.readable == String(networkBytes: octets) || String(validating: octets, as: UTF8.self) != nil)
        }
    }

    @Test("A line of a log has no control characters")
    func oneLine() {
        #expect(
            "a\r\nb\u{1B}[31m\u{7F}\u{80}\u{9B}\u{9F}\u{A0}é".onOneLine
                == #"a\u{D}\u{A}b\u{1B}[31m\u{7F}\u{80}\u{9B}\u{9F}"# + "\u{A0}é"
        )
    }

    /// The bytes of a response's head, with the letter ä in ISO-8859-1.
    private static func latin1(_ lines: String...) -> [UInt8] {
        Array((lines.joined(separator: "\r\n") + "\r\n\r\n").unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }

    private func head(_ line: String) throws -> ResponseHead {
        var parser = ResponseHeadParser()
        var head: ResponseHead?
        for line in ["HTTP/1.1 200 OK", line, ""] {
            head = try parser.consume(
                bytes: line.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } + [13, 10]
            )
        }
        return try #require(head)
    }

    @Test("Programs get fields as ISO-8859-1 and URLs with escapes, and the engine keeps the octets")
    func fields() throws {
        #expect(try head("X-Name: gew\u{E4}sch").fields["X-Name"] == "gew\u{E4}sch")
        #expect(try head("Location: /gew\u{E4}sch").location == "/gew%E4sch")
        #expect(try head("Location: /gew\u{E4}sch").fields["Location"] == "/gew%E4sch")
        #expect(try head("Link: </gew\u{E4}sch>; rel=next").fields["Link"] == "</gew%E4sch>; rel=next")
        #expect(try head("Location: /gew\u{C3}\u{A4}sch").location == "/gew\u{E4}sch")
        let tag = try head("ETag: \"\u{E4}\"")
        #expect(tag.fields["Etag"] == "\"\u{E4}\"")
        #expect(tag.cachedFields["Etag"]?.octets == [0x22, 0xE4, 0x22])
        #expect(try head("Set-Cookie: a=\u{E4}").setCookies.map(\.octets) == [[0x61, 0x3D, 0xE4]])
        #expect(try head("Set-Cookie: a=\u{E4}").fields["Set-Cookie"] == "a=\u{E4}")
    }

    @Test("Digest hashes the octets of the realm, and sends them back unchanged")
    func digest() throws {
        let challenge = try #require(
            try head("WWW-Authenticate: Digest realm=\"B\u{E4}r\", nonce=\"n\u{E4}\"").challenges.first
        )
        let answerable = try #require(
            AnswerableChallenge.strongest(of: [challenge])
        )
        var authentication = HTTPAuthentication(
            challenge: answerable,
            userCredential: UserCredential(user: "u", password: "p")
        ) { "c" }
        let field = authentication.authorization(method: "GET", target: "/")

        func md5(_ bytes: [UInt8]) -> String { MD5.hash(Data(bytes)).hexadecimal }
        let secret = md5(Array("u:B".utf8) + [0xE4] + Array("r:p".utf8))
        let response = md5(Array("\(secret):n".utf8) + [0xE4] + Array(":\(md5(Array("GET:/".utf8)))".utf8))
        #expect(field.holds("response=\"\(response)\""))
        let octets = field.octets
        #expect(octets.firstRange(of: Array("realm=\"B".utf8) + [0xE4] + Array("r\"".utf8)) != nil)
        let target = try CurlURL(#require(URL(string: "http://a/")))
        let request = UpgradeRequest.bytes(target: target, lines: ["Authorization: " + field])
        #expect(request.firstRange(of: octets) != nil)
    }

    @Test("A cookie in another encoding is sent back unchanged, and programs get it as ISO-8859-1")
    func cookies() throws {
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        let jar = CookieJar(storage: storage, acceptPolicy: .always)
        let url = try #require(URL(string: "https://a.example/"))
        for line in ["a=\u{E4}", "b=\u{C3}\u{A4}", "c\u{E4}=\u{C3}\u{A4}; Secure"] {
            jar.store(try head("Set-Cookie: \(line)").setCookies, from: url, mainDocumentURL: nil)
            jar.finishWriting()
        }

        let sent = try #require(jar.field(for: url)).octets.split(separator: UInt8(ascii: ";")).map {
            Array($0.trimmingBlanks)
        }
        #expect(Set(sent) == [[0x61, 0x3D, 0xE4], [0x62, 0x3D, 0xC3, 0xA4], [0x63, 0xE4, 0x3D, 0xC3, 0xA4]])
        #expect(storage.cookies?.first { $0.name == "a" }?.value == "\u{E4}")
        #expect(storage.cookies?.first { $0.name == "c\u{E4}" }?.isForSecureOnly == true)

        jar.store(try head("Set-Cookie: a=\u{E4}; Max-Age=0").setCookies, from: url, mainDocumentURL: nil)
        jar.finishWriting()
        #expect(storage.cookies?.count == 2)
    }

    @Test("The octets of redirects, cookies, entity tags and URL credentials reach the server unchanged")
    func transfer() async throws {
        let server = try LoopbackServer()
        let start = "HTTP/1.1 200 OK"
        let tagged =
            Self.latin1(start, "ETag: \"\u{E4}\"", "Set-Cookie: a=\u{E4}", "Content-Length: 2") + Array("ok".utf8)
        server.route("/tag", .raw([.bytes(Data(tagged))]))
        server.route(
            "/redirect",
            .raw([.bytes(Data(Self.latin1("HTTP/1.1 302 Found", "Location: /gew\u{E4}sch", "Content-Length: 0")))])
        )
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache = HTTPCache(memoryCapacity: 1 << 20, diskCapacity: 0, directory: nil)
        let session = CurlURLSession(configuration: configuration)
        for path in ["/tag", "/tag", "/redirect"] { _ = try await session.data(from: server.url(path)) }
        var credentials = try #require(URLComponents(url: server.url("/basic"), resolvingAgainstBaseURL: true))
        credentials.percentEncodedUser = "j%FCr"
        credentials.password = "p"
        server.route("/basic", .status(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""]))
        _ = try await session.data(from: try #require(credentials.url))
        session.invalidateAndCancel()

        let requests = server.requests
        // The test server reads octets that are not UTF-8 as ISO-8859-1, so the letter shows that one octet has
        // arrived.
        #expect(requests[1].headers["If-None-Match"] == "\"\u{E4}\"")
        #expect(requests[1].headers["Cookie"] == "a=\u{E4}")
        #expect(requests.contains { $0.target == "/gew%E4sch" })
        #expect(
            requests.last?.headers["Authorization"] == "Basic "
                + Data([0x6A, 0xFC, 0x72, 0x3A, 0x70]).base64EncodedString()
        )
    }
}
#endif
