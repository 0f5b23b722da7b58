#if canImport(FoundationNetworking)
import HTTPSyntax
import TestSupport
import Testing

@testable import LarkspurTransport

/// Responses whose fields are as long as they can be: the cost of reading their types and names grows with the length.
@Suite("Costs of responses", .enabled(if: Growth.isMeasured), .serialized, .timeLimit(.minutes(5)))
struct EngineResponseCostTests {
    private static let longest = ResponseHeadParser.maximumByteCount * 9 / 10

    private func isLinear(
        _ name: String,
        _ start: String,
        _ unit: String,
        _ read: (EngineResponse) -> Void
    ) throws -> Bool {
        let url = try #require(URL(string: "http://localhost/a.txt"))
        let values = { (size: Int) in start + String(repeating: unit, count: size / unit.utf8.count) }
        let growth = Growth.factor(of: values, upTo: Self.longest) { value in
            // Each has another value, so that what is known of one serves no other.
            let fields = [name: value + UUID().uuidString]
            guard let response = EngineResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", fields: fields)
            else {
                return
            }
            read(response)
        }
        return growth < Growth.linear
    }

    static let types = [
        ";", "; a=b", "; a=\"", "\\", "/", " ", ";charset=utf-8", "; charset=\"", "x", "=", "\t", ",", "\u{E9}",
        "\u{301}",
        "(", "\"",
    ]

    @Test(
        "The media type of a response is read in linear time",
        arguments: types,
        ["text/html", "text/html; charset=\"", ""]
    )
    func contentType(unit: String, start: String) throws {
        #expect(try isLinear("Content-Type", start, unit) { _ = ($0.mimeType, $0.textEncodingName) })
    }

    @Test(
        "The suggested filename of a response is read in linear time",
        arguments: types + [".", "../"],
        ["attachment; filename=\"", "attachment; filename=", ""]
    )
    func filename(unit: String, start: String) throws {
        #expect(try isLinear("Content-Disposition", start, unit) { _ = $0.suggestedFilename })
    }

    @Test("A filename is made safe in linear time", arguments: [".", " ", "/", "a", "\u{301}", "\u{1F600}", "a."])
    func harmless(unit: String) {
        let names = { (size: Int) in String(repeating: unit, count: size / unit.utf8.count) }
        #expect(Growth.factor(of: names) { _ = SuggestedFilename($0) } < Growth.linear)
    }

    @Test("The expected length of a response is read in linear time", arguments: ["0", "1", " ", "-"])
    func length(unit: String) throws {
        #expect(try isLinear("Content-Length", "", unit) { _ = $0.expectedContentLength })
    }
}
#endif
