import HTTPSyntax
import Testing

@testable import Larkspur

@Suite struct QueryEncoderStyleTests {
    private func query(_ dictionary: [String: Any], _ change: (inout QueryEncoder) -> Void) throws -> String {
        var encoder = QueryEncoder()
        change(&encoder)
        let text = try encoder.encode(.dictionary(dictionary))
        return text.removingPercentEncoding ?? text
    }

    @Test func arraysAreNamedByTheirStyle() throws {
        let parameters: [String: Any] = ["k": ["a", ["b"]] as [Any]]
        #expect(try query(parameters) { $0.arrayStyle = .brackets } == "k[]=a&k[][]=b")
        #expect(try query(parameters) { $0.arrayStyle = .noBrackets } == "k=a&k=b")
        #expect(try query(parameters) { $0.arrayStyle = .custom { "\($0)[\($1)]" } } == "k[0]=a&k[1][0]=b")
        #expect(try query(parameters) { $0.arrayStyle = .custom { "\($0).\($1 + 1)" } } == "k.1=a&k.2.1=b")
    }

    @Test func booleansAreWrittenInTheirStyle() throws {
        let parameters: [String: Any] = [
            "f": false, "i": NSNumber(value: 1), "i8": NSNumber(value: Int8(1)), "nf": NSNumber(value: false),
            "nt": NSNumber(value: true), "t": true,
        ]
        #expect(try query(parameters) { $0.booleanStyle = .numeric } == "f=0&i=1&i8=1&nf=0&nt=1&t=1")
        #expect(try query(parameters) { $0.booleanStyle = .literal } == "f=false&i=1&i8=1&nf=false&nt=true&t=true")
    }

    @Test func keyPathsAreJoinedByTheirStyle() throws {
        let parameters: [String: Any] = ["a": ["b": ["c": 1]]]
        #expect(try query(parameters) { $0.keyPathStyle = .brackets } == "a[b][c]=1")
        #expect(try query(parameters) { $0.keyPathStyle = .dots } == "a.b.c=1")
        #expect(try query(parameters) { $0.keyPathStyle = .custom { "\($0)-\($1)" } } == "a-b-c=1")
    }

    @Test(arguments: [
        ("oneTwoThree", "one_two_three", "one-two-three"),
        ("profileURL", "profile_url", "profile-url"),
        ("URLSession", "url_session", "url-session"),
        ("_myKey", "_my_key", "_my-key"),
        ("version2Name", "version2_name", "version2-name"),
        ("already_snake", "already_snake", "already_snake"),
        ("ABC", "abc", "abc"),
        ("", "", ""),
    ])
    func keysAreWrittenInTheirStyle(key: String, snake: String, kebab: String) {
        #expect(QueryEncoder.KeyStyle.unchanged.key(for: key) == key)
        #expect(QueryEncoder.KeyStyle.snakeCase.key(for: key) == snake)
        #expect(QueryEncoder.KeyStyle.kebabCase.key(for: key) == kebab)
        #expect(QueryEncoder.KeyStyle.custom { "<\($0)>" }.key(for: key) == "<\(key)>")
    }

    @Test func keyStylesApplyAtEveryLevelAndBeforeSorting() throws {
        struct Inner: Encodable { var lastName = "x" }
        let parameters: [String: Any] = ["bKey": ["innerKey": 1], "aKey": Inner()]
        #expect(try query(parameters) { $0.keyStyle = .snakeCase } == "a_key[last_name]=x&b_key[inner_key]=1")
        #expect(try query(["ab": 1, "b": 2]) { $0.keyStyle = .custom { String($0.reversed()) } } == "b=2&ba=1")
    }

    @Test func nullIsWrittenInItsStyle() throws {
        let parameters: [String: Any] = ["a": NSNull(), "b": ["c": Int?.none as Any], "d": 1]
        #expect(try query(parameters) { $0.nullStyle = .keyOnly } == "a&b[c]&d=1")
        #expect(try query(parameters) { $0.nullStyle = .drop } == "d=1")
        #expect(try query(parameters) { $0.nullStyle = .custom { "no-\($0)" } } == "a=no-a&b[c]=no-b[c]&d=1")
    }

    @Test func datesAreWrittenInTheirStyle() throws {
        let whole: [String: Any] = ["d": Date(timeIntervalSince1970: 978_307_200)]
        let fraction: [String: Any] = ["d": Date(timeIntervalSince1970: 0.25)]
        #expect(try query(whole) { $0.dateStyle = .iso8601 } == "d=2001-01-01T00:00:00Z")
        #expect(try query(whole) { $0.dateStyle = .secondsSince1970 } == "d=978307200")
        #expect(try query(fraction) { $0.dateStyle = .secondsSince1970 } == "d=0.25")
        #expect(try query(whole) { $0.dateStyle = .custom { "\(Int($0.timeIntervalSinceReferenceDate))" } } == "d=0")
    }

    @Test(arguments: [Double.nan, .infinity, 1e300, -1e12, 253_402_300_800])
    func datesWithoutAFormAreErrors(seconds: Double) {
        let error = #expect(throws: LarkspurError.self) {
            try QueryEncoder().encode(.dictionary(["d": Date(timeIntervalSince1970: seconds)]))
        }
        #expect(error?.code == .parameterEncodingFailed)
        #expect(error?.message.contains("`d`") == true)
    }

    @Test func dataIsWrittenInItsStyle() throws {
        let parameters: [String: Any] = ["d": Data([0x00, 0xAB, 0xFF])]
        #expect(try query(parameters) { $0.dataStyle = .base64 } == "d=AKv/")
        #expect(try query(parameters) { $0.dataStyle = .custom { "\($0.count)" } } == "d=3")
    }

    @Test func whatACustomStyleThrowsIsKeptUnderneath() {
        var encoder = QueryEncoder()
        encoder.dateStyle = .custom { _ in throw Refusal() }
        encoder.dataStyle = .custom { _ in throw LarkspurError(.unsupported, "No data.") }
        let date = #expect(throws: LarkspurError.self) { try encoder.encode(.dictionary(["d": Date()])) }
        let data = #expect(throws: LarkspurError.self) { try encoder.encode(.dictionary(["d": Data()])) }
        #expect(date?.code == .parameterEncodingFailed)
        #expect(date?.underlyingError is Refusal)
        #expect(data?.code == .unsupported)
    }

    @Test func spacesAreWrittenInTheirStyle() throws {
        var encoder = QueryEncoder()
        #expect(try encoder.encode(.dictionary(["a b": "c d+e"])) == "a%20b=c%20d%2Be")
        encoder.spaceStyle = .plusReplaced
        #expect(try encoder.encode(.dictionary(["a b": "c d+e"])) == "a+b=c+d%2Be")
    }

    @Test func unsortedKeysKeepTheOrderOfEncodingAndDictionariesAreSortedRegardless() throws {
        struct Search: Encodable {
            var zebra = 1
            var apple = ["b": 1, "a": 2, "c": 3]
            var mango = Set(["y", "x"])
        }
        var encoder = QueryEncoder()
        encoder.keyPathStyle = .dots
        #expect(try encoder.encode(.encodable(Search())) == "apple.a=2&apple.b=1&apple.c=3&mango=x&mango=y&zebra=1")
        encoder.sortsKeys = false
        #expect(try encoder.encode(.encodable(Search())) == "zebra=1&apple.a=2&apple.b=1&apple.c=3&mango=x&mango=y")
        #expect(try encoder.encode(.dictionary(["b": 1, "a": 2, "c": 3])) == "a=2&b=1&c=3")
    }

    @Test("KeyValuePairs are a dictionary, whose order stays if keys are not sorted")
    func pairs() throws {
        let parameters: [String: Any] = ["x": ["b": 1, "a": 2, "c": ["z": 3, "y": 4]] as KeyValuePairs<String, Any>]
        var encoder = QueryEncoder()
        encoder.keyPathStyle = .dots
        #expect(try encoder.encode(.dictionary(parameters)) == "x.a=2&x.b=1&x.c.y=4&x.c.z=3")
        encoder.sortsKeys = false
        #expect(try encoder.encode(.dictionary(parameters)) == "x.b=1&x.a=2&x.c.y=4&x.c.z=3")
        let json = try SessionManager(baseURL: "https://example.com")
            .makeRequest(.post, "", body: .jsonObject(parameters)).httpBody
        #expect(try JSONDecoder().decode(JSONValue.self, from: json ?? Data())["x"]["c"]["y"] == 4)
    }
}

private struct Refusal: Error {}
