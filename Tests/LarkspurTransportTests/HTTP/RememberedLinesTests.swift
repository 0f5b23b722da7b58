#if canImport(FoundationNetworking)

import Foundation
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Memory of the previous request's lines") struct RememberedLinesTests {
    /// What the lines of a request depend on.
    private struct Input: CustomStringConvertible {
        var method = "GET"
        var path = "/"
        var fields = ["X-A": "a", "Accept-Encoding": "gzip"]
        var additional = ["X-B": "b"]
        var cookie: String?
        var authorization: String?
        var body = RequestHead.BodyLength.none
        var mayAskFirst = true

        var description: String { "\(method) \(path) \(fields) \(additional) \(body) \(mayAskFirst)" }

        func head(_ remembered: inout RememberedLines?) throws -> RequestHead {
            var request = URLRequest(url: try #require(URL(string: "http://a.example\(path)")))
            request.httpMethod = method
            request.allHTTPHeaderFields = fields
            return try RequestHead(
                request,
                additionalFields: additional,
                body: body,
                cookie: cookie,
                authorization: authorization,
                mayAskFirst: mayAskFirst,
                remembered: &remembered
            )
        }
    }

    private static let inputs: [Input] = [
        Input(), Input(), Input(path: "/other"), Input(method: "DELETE"), Input(method: "POST"),
        Input(fields: ["X-A": "b"]), Input(fields: ["X-A": "a"]), Input(fields: ["Expect": "100-continue"]),
        Input(fields: ["Expect": "100-continue"], mayAskFirst: false), Input(additional: [:]),
        Input(additional: ["X-B": "c"]), Input(cookie: "a=b"), Input(cookie: "a=c"), Input(authorization: "Basic x"),
        Input(method: "POST", body: .known(3)), Input(method: "POST", body: .unknown), Input(fields: [:]), Input(),
        Input(fields: ["X-A": "caf\u{E9}"]), Input(fields: ["X-A": "cafe\u{301}"]), Input(fields: ["X-A": "K"]),
        Input(fields: ["X-A": "\u{212A}"]), Input(fields: ["K": "a"]), Input(fields: ["\u{212A}": "a"]),
    ]

    @Test("A request has the same lines with the memory of earlier requests as without", .seeded)
    func sequences() throws {
        var generator = SeededGenerator()
        var remembered: RememberedLines?
        for _ in 0..<2000 {
            let input = try #require(Self.inputs.randomElement(using: &generator))
            var nothing: RememberedLines?
            let comment: Comment = "\(input)"
            guard let alone = try? input.head(&nothing) else {
                #expect(throws: RequestHead.Failure.self, comment) { try input.head(&remembered) }
                continue
            }
            let head = try input.head(&remembered)
            // By their bytes, as strings are also equal if they write one letter in different ways.
            #expect(Set(head.lines.map { Data($0.utf8) }) == Set(alone.lines.map { Data($0.utf8) }), comment)
            #expect(head.url == alone.url && head.method == alone.method && head.body == alone.body, comment)
            #expect(head.setsAcceptEncoding == alone.setsAcceptEncoding, comment)
            #expect(head.expectsContinue == alone.expectsContinue, comment)
        }
    }

    @Test("A URL that is too long is refused with remembered lines too")
    func tooLong() throws {
        var remembered: RememberedLines?
        _ = try Input().head(&remembered)
        #expect(remembered != nil)
        let long = Input(path: "/" + String(repeating: "a", count: RequestHead.maximumLength))
        #expect(throws: RequestHead.Failure.self) { try long.head(&remembered) }
    }

    @Test("Credentials, cookies and lines for content are not remembered")
    func secrets() throws {
        for input in [
            Input(cookie: "a=b"), Input(authorization: "Basic x"), Input(method: "POST", body: .known(3)),
        ] {
            var remembered: RememberedLines?
            _ = try input.head(&remembered)
            #expect(remembered == nil)
        }
    }
}
#endif
