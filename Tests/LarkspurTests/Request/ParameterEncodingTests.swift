import Testing

@testable import Larkspur

@Suite("Parameters made of a value")
struct ParameterEncodingTests {
    private struct Filter: Encodable {
        struct Range: Encodable {
            var from = Date(timeIntervalSince1970: 0.5)
            var to: Date?
        }
        enum Order: String, Encodable { case newest }

        var text = "a b"
        var isOpen = true
        var page = 2
        var order = Order.newest
        var tags = ["x", "y"]
        var kinds: Set<Int> = [1]
        var range = Range()
        var content = Data([1])
        var missing: String?
    }

    @Test("Properties become names, values within become dictionaries and arrays, and nil is left out")
    func structure() throws {
        let parameters = try [String: Any](encoding: Filter())

        #expect(
            Set(parameters.keys) == ["text", "isOpen", "page", "order", "tags", "kinds", "range", "content"]
        )
        #expect(parameters["isOpen"] as? Bool == true && parameters["page"] as? Int == 2)
        #expect(parameters["order"] as? String == "newest" && parameters["kinds"] as? Set<AnyHashable> == [1])
        let range = try #require(parameters["range"] as? [String: Any])
        #expect(range.count == 1 && range["from"] as? Date == Date(timeIntervalSince1970: 0.5))
    }

    @Test("The query is the one that the value itself has, in the styles of the encoder")
    func query() throws {
        var encoder = QueryEncoder()
        encoder.dateStyle = .millisecondsSince1970
        encoder.booleanStyle = .literal
        encoder.keyStyle = .snakeCase

        let text = try encoder.encode(.dictionary([String: Any](encoding: Filter())))

        #expect(text == (try encoder.encode(.encodable(Filter()))))
        #expect(text.contains("is_open=true") && text.contains("range%5Bfrom%5D=500"))
    }

    @Test("A date that the default query has no form for stays a date")
    func farDate() throws {
        let parameters = try [String: Any](encoding: ["date": Date.distantFuture + 1e12])
        #expect(parameters["date"] as? Date == Date.distantFuture + 1e12)
    }

    @Test("A value without names is an error")
    func nameless() {
        #expect(throws: LarkspurError.self) { try [String: Any](encoding: [1, 2]) }
        #expect(throws: LarkspurError.self) { try [String: Any](encoding: "text") }
        #expect(throws: LarkspurError.self) { try [String: Any](encoding: ["a": Double.infinity]) }
    }
}
