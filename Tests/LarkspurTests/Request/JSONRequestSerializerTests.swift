import Testing

@testable import Larkspur

@Suite struct JSONRequestSerializerTests {
    private let url: URL
    private var serializer: JSONRequestSerializer = .json

    init() throws {
        url = try #require(URL(string: "http://example.com"))
    }

    private var builder: RequestBuilder { RequestBuilder(serializer) }

    private func body(_ parameters: Parameters, _ serializer: JSONRequestSerializer? = nil) throws -> String {
        var serializer = serializer ?? self.serializer
        serializer.writingOptions.formUnion([.sortedKeys, .withoutEscapingSlashes])
        let request = try RequestBuilder(serializer).makeRequest(.post, url: url, parameters: parameters)
        return String(decoding: try #require(request.httpBody), as: UTF8.self)
    }

    private func failure(_ parameters: Parameters) -> LarkspurError? {
        #expect(throws: LarkspurError.self) { try builder.makeRequest(.post, url: url, parameters: parameters) }
    }

    @Test func aDictionaryBecomesAnObject() throws {
        let request = try builder.makeRequest(.post, url: url, parameters: .dictionary(["key": "value"]))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(request.httpBody == Data(#"{"key":"value"}"#.utf8))
    }

    @Test func anArrayBecomesAnArray() throws {
        #expect(try body(.array([["key": "value"]])) == #"[{"key":"value"}]"#)
        #expect(try body(.encodable([["key": "value"]])) == #"[{"key":"value"}]"#)
        #expect(try body(.dictionary([:])) == "{}")
    }

    @Test func aSetIsNotValidJSON() {
        let error = failure(.dictionary(["a": ["key": Set(["value"])]]))
        #expect(error?.code == .parameterEncodingFailed)
        #expect((error as NSError?)?.code == NSURLErrorCannotDecodeContentData)
        #expect(error?.message.hasPrefix("The `parameters` argument is not valid JSON") == true)
        #expect(error?.message.contains("`a.key`") == true)
        #expect(error?.message.contains("Set<String>") == true)
        #expect(error?.failingURL == url)
    }

    @Test func withoutParametersThereIsNeitherBodyNorContentType() throws {
        let request = try builder.makeRequest(.post, url: url)
        #expect(request.httpBody == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test func getPutsParametersIntoTheQuery() throws {
        let request = try builder.makeRequest(.get, url: url, parameters: .dictionary(["key": "value"]))
        #expect(request.url?.query == "key=value")
        #expect(request.httpBody == nil)
    }

    @Test func aContentTypeThatIsSetStays() throws {
        let headers: HTTPHeaders = ["content-type": "application/vnd.api+json"]
        let request = try builder.makeRequest(.patch, url: url, parameters: .dictionary([:]), headers: headers)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/vnd.api+json")
    }

    @Test func writingOptionsApplyToDictionaries() throws {
        var builder = RequestBuilder(JSONRequestSerializer(writingOptions: [.sortedKeys, .prettyPrinted]))
        let pretty = try builder.makeRequest(.post, url: url, parameters: .dictionary(["b": 1, "a": 2]))
        builder.serializer = JSONRequestSerializer(writingOptions: [.sortedKeys])
        let plain = try builder.makeRequest(.post, url: url, parameters: .dictionary(["b": 1, "a": 2]))
        #expect(pretty.httpBody?.contains(0x0A) == true)
        #expect(plain.httpBody == Data(#"{"a":2,"b":1}"#.utf8))
    }

    @Test func everyValueThatJSONHasIsWritten() throws {
        let link = try #require(URL(string: "http://h/p"))
        let values: [(Any, String)] = [
            (true, "true"), (NSNumber(value: false), "false"), (NSNumber(value: Int8(1)), "1"), (Int8(-1), "-1"),
            (UInt64.max, "18446744073709551615"), (1.5, "1.5"), (Float(0.5), "0.5"),
            (Decimal(string: "12345678901234567890.123") as Any, "12345678901234567890.123"),
            ("x".dropFirst(0), #""x""#), (NSString(string: "x"), #""x""#), (link, #""http://h/p""#),
            (NSNull(), "null"), (Int?.none as Any, "null"), (Int?.some(1) as Any, "1"),
            ([nil, 1] as [Int?], "[null,1]"),
            (["a": [1]] as [String: [Int]], #"{"a":[1]}"#),
            (NSDictionary(dictionary: ["a": NSArray(array: [1])]), #"{"a":[1]}"#),
            (AnyHashable("x"), #""x""#), (HTTPMethod.get, #""GET""#), (Kind.plain, #""plain""#),
            (Count(n: 1), #"{"n":1}"#),
        ]
        for (value, text) in values { #expect(try body(.dictionary(["k": value])) == "{\"k\":\(text)}") }
    }

    @Test func datesAndDataFollowTheEncoder() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let serializer = JSONRequestSerializer(encoder: encoder)
        let date = Date(timeIntervalSinceReferenceDate: 0)
        #expect(
            try body(.dictionary(["date": date, "data": Data([1]), "ns": date as NSDate]), serializer)
                == #"{"data":"AQ==","date":"2001-01-01T00:00:00Z","ns":"2001-01-01T00:00:00Z"}"#
        )
        #expect(try body(.encodable(["date": date]), serializer) == #"{"date":"2001-01-01T00:00:00Z"}"#)
        #expect(try body(.dictionary(["date": date])) == #"{"date":0}"#)
    }

    @Test func theEncoderCanBeReplaced() throws {
        let serializer = JSONRequestSerializer(encoder: TypeEncoder())
        #expect(try body(.encodable(1), serializer) == "\"Int\"")
        #expect(try body(.dictionary(["k": Count(n: 1)]), serializer) == "{\"k\":\"Count\"}")
    }

    @Test func encodableFragmentsMayStandAtTheTop() throws {
        #expect(try body(.encodable("x")) == "\"x\"")
        #expect(try body(.encodable(1)) == "1")
        #expect(try body(.encodable(true)) == "true")
        #expect(try body(.encodable(Int?.none)) == "null")
    }

    @Test func whatJSONCannotHoldIsAnErrorThatNamesItAndNeverATrap() {
        let values: [(Any, String)] = [
            (Double.nan, "nan"), (-Double.infinity, "inf"), (NSNumber(value: Double.infinity), "inf"),
            (Decimal.nan, "NaN"),
            (Opaque(), "Opaque"), (NSObject(), "NSObject"), ([1: "a"], "Int"), ({ 1 } as () -> Int, "->"),
            (NSSet(object: 1), "Set"),
        ]
        for (value, reason) in values {
            let error = failure(.dictionary(["a": [value]]))
            #expect(error?.code == .parameterEncodingFailed)
            #expect(error?.message.contains("`a[0]`") == true)
            #expect(error?.message.contains(reason) == true)
        }
        #expect(failure(.dictionary(["a": Int128.max]))?.code == .parameterEncodingFailed)
        #expect(failure(.encodable(["a": Double.nan]))?.message.contains("`a`") == true)
        #expect(failure(.encodable(["a": Double.nan]))?.underlyingError is EncodingError)
    }

    @Test func whatAnEncoderThrowsIsKeptUnderneath() {
        struct Refusal: Error {}
        struct Broken: Encodable { func encode(to encoder: any Encoder) throws { throw Refusal() } }
        #expect(failure(.encodable(Broken()))?.underlyingError is Refusal)
        let nested = failure(.dictionary(["a": Broken()]))
        #expect(nested?.underlyingError is Refusal)
        #expect(nested?.message.contains("`a`") == true)
    }

    @Test func nestingThatIsTooDeepIsAnError() {
        var deep: Any = 1
        for _ in 0..<200 { deep = [deep] }
        #expect(failure(.dictionary(["k": deep]))?.message.contains("64 levels") == true)
    }
}

private final class Opaque {}

private enum Kind: String { case plain }

private struct Count: Encodable { var n: Int }

/// An encoder that writes the type of a value.
private struct TypeEncoder: DataEncoder {
    let contentType = "application/json"

    func encode<Value: Encodable>(_ value: Value) throws -> Data { Data("\"\(Value.self)\"".utf8) }
}
