import Testing

@testable import Larkspur

@Suite struct PropertyListRequestSerializerTests {
    private let url: URL
    private var serializer: PropertyListRequestSerializer = .propertyList

    init() throws {
        url = try #require(URL(string: "http://example.com"))
    }

    private var builder: RequestBuilder { RequestBuilder(serializer) }

    private func object(_ parameters: Parameters, _ serializer: PropertyListRequestSerializer) throws -> NSDictionary {
        let request = try RequestBuilder(serializer).makeRequest(.post, url: url, parameters: parameters)
        var format = PropertyListSerialization.PropertyListFormat.openStep
        let body = try #require(request.httpBody)
        let object = try PropertyListSerialization.propertyList(from: body, options: [], format: &format)
        #expect(format == serializer.format)
        return try #require(object as? [String: Any]) as NSDictionary
    }

    private func failure(_ parameters: Parameters) -> LarkspurError? {
        #expect(throws: LarkspurError.self) { try builder.makeRequest(.post, url: url, parameters: parameters) }
    }

    @Test func aDictionaryBecomesAPropertyList() throws {
        let request = try builder.makeRequest(.post, url: url, parameters: .dictionary(["key": "value"]))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-plist")
        let text = String(decoding: try #require(request.httpBody), as: UTF8.self)
        #expect(text.contains("<key>key</key>"))
        #expect(text.contains("<string>value</string>"))
    }

    @Test func aKeyThatIsNoStringIsAnError() {
        let error = failure(.dictionary(["a": [42: "value"]]))
        #expect(error?.code == .parameterEncodingFailed)
        #expect(error?.message.contains("`a`") == true)
        #expect(error?.message.contains("Int") == true)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func everyValueIsWrittenInEachFormat(format: PropertyListSerialization.PropertyListFormat) throws {
        let date = Date(timeIntervalSinceReferenceDate: 60)
        let parameters: [String: Any] = [
            "string": "x", "number": 1.5, "flag": true, "date": date, "data": Data([1]), "list": [1, "a"] as [Any],
            "object": Count(n: 7), "kind": Kind.plain, "some": Int?.some(3) as Any,
        ]
        let expected: [String: Any] = [
            "string": "x", "number": 1.5, "flag": true, "date": date, "data": Data([1]), "list": [1, "a"] as [Any],
            "object": ["n": 7], "kind": "plain", "some": 3,
        ]
        let serializer = PropertyListRequestSerializer(format: format)
        #expect(try object(.dictionary(parameters), serializer) == expected as NSDictionary)
        #expect(try object(.encodable(Count(n: 7)), serializer) == ["n": 7] as NSDictionary)
    }

    @Test func whatAPropertyListCannotHoldIsAnErrorAndNeverATrap() {
        let values: [Any] = [NSNull(), Int?.none as Any, Set([1]), Opaque(), NSObject()]
        for value in values {
            let error = failure(.dictionary(["a": value]))
            #expect(error?.code == .parameterEncodingFailed)
            #expect(error?.message.contains("`a`") == true)
        }
        #expect(failure(.encodable("fragment"))?.code == .parameterEncodingFailed)
    }

    @Test func theOpenStepFormatIsAnErrorAndNoTrap() {
        let builder = RequestBuilder(PropertyListRequestSerializer(format: .openStep))
        for parameters in [Parameters.dictionary(["a": 1]), .encodable(["a": 1])] {
            let error = #expect(throws: LarkspurError.self) {
                try builder.makeRequest(.post, url: url, parameters: parameters)
            }
            #expect(error?.code == .parameterEncodingFailed)
        }
    }

    @Test func withoutParametersThereIsNeitherBodyNorContentType() throws {
        let request = try builder.makeRequest(.post, url: url)
        #expect(request.httpBody == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test func getPutsParametersIntoTheQuery() throws {
        let request = try builder.makeRequest(.get, url: url, parameters: .dictionary(["key": "value"]))
        #expect(request.url?.query == "key=value")
    }
}

private final class Opaque {}

private enum Kind: String { case plain }

private struct Count: Encodable { var n: Int }
