import Testing

@testable import Larkspur

/// AFNetworking's rules, which are the defaults.
@Suite struct QueryEncoderTests {
    private let encoder = QueryEncoder()

    private func query(_ dictionary: [String: Any]) throws -> String {
        let text = try encoder.encode(.dictionary(dictionary))
        return text.removingPercentEncoding ?? text
    }

    private func failure(_ dictionary: [String: Any]) -> LarkspurError? {
        #expect(throws: LarkspurError.self) { try encoder.encode(.dictionary(dictionary)) }
    }

    @Test func pairsAreJoinedAndEscaped() throws {
        let text = try encoder.encode(.dictionary(["key": "value", "key1": "value&"]))
        #expect(text == "key=value&key1=value%26")
    }

    @Test func escapingLeavesTheSlashAndTheQuestionMark() {
        #expect(
            QueryEncoder.percentEscaped(":#[]@!$&'()*+,;=?/")
                == "%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D?/"
        )
    }

    @Test func escapingLeavesUnreservedCharactersAndNothingElse() {
        let unescaped = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?"
        for value in UInt8(0)..<0x80 {
            let text = String(Unicode.Scalar(value))
            let hex = (value < 0x10 ? "0" : "") + String(value, radix: 16, uppercase: true)
            #expect(QueryEncoder.percentEscaped(text) == (unescaped.contains(text) ? text : "%\(hex)"))
        }
    }

    @Test func emojiOfSeveralScalarsAreEscapedWhole() {
        let emoji = "👴🏿👷🏻👮🏽"
        let text = String(repeating: "a", count: 48) + String(repeating: emoji, count: 40)
        let escaped = QueryEncoder.percentEscaped(emoji)
        #expect(escaped == "%F0%9F%91%B4%F0%9F%8F%BF%F0%9F%91%B7%F0%9F%8F%BB%F0%9F%91%AE%F0%9F%8F%BD")
        #expect(
            QueryEncoder.percentEscaped(text)
                == String(repeating: "a", count: 48) + String(repeating: escaped, count: 40)
        )
    }

    @Test(arguments: [
        ("français", "fran%C3%A7ais"), ("日本語", "%E6%97%A5%E6%9C%AC%E8%AA%9E"),
        ("العربية", "%D8%A7%D9%84%D8%B9%D8%B1%D8%A8%D9%8A%D8%A9"), ("😃", "%F0%9F%98%83"),
        ("一二三", "%E4%B8%80%E4%BA%8C%E4%B8%89"),
    ])
    func otherScriptsAreEscapedByteByByte(text: String, escaped: String) throws {
        #expect(try encoder.encode(.dictionary([text: text])) == "\(escaped)=\(escaped)")
        let many = String(repeating: text, count: 20_000)
        #expect(QueryEncoder.percentEscaped(many) == String(repeating: escaped, count: 20_000))
    }

    @Test func bracketsAndKeysAreEscaped() throws {
        #expect(try encoder.encode(.dictionary(["a b": ["c": ["d&"]]])) == "a%20b%5Bc%5D%5B%5D=d%26")
    }

    @Test func keysAreSortedByCase() throws {
        #expect(try query(["b": 1, "a": 2, "B": 3, "A": ["z": 1, "y": 2]]) == "A[y]=2&A[z]=1&B=3&a=2&b=1")
    }

    @Test func collectionsNestByBrackets() throws {
        #expect(try query(["k": ["a", "b"]]) == "k[]=a&k[]=b")
        #expect(try query(["k": [["a"], ["b", "c"]]]) == "k[][]=a&k[][]=b&k[][]=c")
        #expect(try query(["k": [["id": 1], ["id": 2]]]) == "k[][id]=1&k[][id]=2")
        #expect(try query(["k": ["a": ["b": ["c": 1]]]]) == "k[a][b][c]=1")
    }

    @Test func setsRepeatTheKeyWithTheirMembersSorted() throws {
        #expect(try query(["k": Set(["c", "a", "b"])]) == "k=a&k=b&k=c")
        #expect(try query(["k": Set([9, 10])]) == "k=10&k=9")
        #expect(try query(["k": Set([["b"], ["a"]])]) == "k[]=a&k[]=b")
        #expect(try query(["k": NSSet(array: ["b", "a"])]) == "k=a&k=b")
    }

    @Test func nullIsTheKeyAlone() throws {
        #expect(try query(["a": NSNull(), "b": 1]) == "a&b=1")
        #expect(try query(["a": Int?.none as Any, "b": [nil, 1] as [Int?]]) == "a&b[]&b[]=1")
    }

    @Test func emptyCollectionsAreNothing() throws {
        #expect(try query(["a": [String](), "b": [String: Any](), "c": Set<Int>(), "d": [[Int]()]]) == "")
        #expect(try query([:]) == "")
        #expect(try query(["a": ""]) == "a=")
        #expect(try query(["": "a"]) == "=a")
    }

    @Test func numbersAreTheirDescriptionAndBooleansOneOrZero() throws {
        let values: [(Any, String)] = [
            (1, "1"), (Int8(-8), "-8"), (Int16(16), "16"), (Int32(32), "32"), (Int64.min, "-9223372036854775808"),
            (UInt(1), "1"), (UInt8(8), "8"), (UInt16(16), "16"), (UInt32(32), "32"),
            (UInt64.max, "18446744073709551615"),
            (Int128.max, "170141183460469231731687303715884105727"), (UInt128(7), "7"),
            (1.5, "1.5"), (Float(0.1), "0.1"), (Decimal(string: "1.10") as Any, "1.1"),
            (1.0, "1.0"), (Float(1), "1.0"), (Decimal(1), "1"), (Decimal(string: "1.123456") as Any, "1.123456"),
            (Decimal(string: "12345678901234567890.123") as Any, "12345678901234567890.123"),
            (true, "1"), (false, "0"),
            (NSNumber(value: true), "1"), (NSNumber(value: false), "0"), (NSNumber(value: 42), "42"),
            (NSNumber(value: Int8(1)), "1"), (NSDecimalNumber(string: "12.5"), "12.5"),
        ]
        for (value, text) in values { #expect(try query(["k": value]) == "k=\(text)") }
    }

    @Test func textsAndIdentifiersAreTakenInTheirSwiftAndFoundationTypes() throws {
        let url = try #require(URL(string: "http://example.com/a"))
        let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let values: [(Any, String)] = [
            ("text", "text"), ("xtext".dropFirst(), "text"), (Character("c"), "c"), (NSString(string: "text"), "text"),
            (url, "http://example.com/a"), (NSURL(string: "http://example.com/a") as Any, "http://example.com/a"),
            (uuid, uuid.uuidString), (NSUUID(uuidString: uuid.uuidString) as Any, uuid.uuidString),
            (AnyHashable("text"), "text"), (String??.some("text") as Any, "text"),
        ]
        for (value, text) in values { #expect(try query(["k": value]) == "k=\(text)") }
    }

    @Test func datesAndDataAreTakenInTheirSwiftAndFoundationTypes() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0.75)
        #expect(try query(["k": date]) == "k=2001-01-01T00:00:00Z")
        #expect(try query(["k": NSDate(timeIntervalSinceReferenceDate: 0)]) == "k=2001-01-01T00:00:00Z")
        #expect(try query(["k": Data([0xFB, 0xFF])]) == "k=+/8=")
        #expect(try query(["k": NSData(data: Data([0xFB, 0xFF]))]) == "k=+/8=")
    }

    @Test func typedAndFoundationCollectionsAreCollections() throws {
        #expect(try query(["k": ["b": 2, "a": 1] as [String: Int]]) == "k[a]=1&k[b]=2")
        #expect(try query(["k": [2: "b", 1: "a"] as [Int: String]]) == "k[1]=a&k[2]=b")
        #expect(try query(["k": [AnyHashable("a"): 1] as [AnyHashable: Any]]) == "k[a]=1")
        #expect(try query(["k": [Direction.up: 1]]) == "k[up]=1")
        #expect(try query(["k": [1, 2, 3].dropFirst()]) == "k[]=2&k[]=3")
        #expect(try query(["k": ContiguousArray([1])]) == "k[]=1")
        #expect(try query(["k": NSArray(array: [1, "b"])]) == "k[]=1&k[]=b")
        #expect(try query(["k": NSDictionary(dictionary: ["a": NSNumber(value: true)])]) == "k[a]=1")
    }

    @Test func rawRepresentableAndEncodableLeavesStandForWhatTheyAre() throws {
        #expect(try query(["k": Direction.up]) == "k=up")
        #expect(try query(["k": HTTPMethod.get]) == "k=GET")
        #expect(try query(["k": Page(number: 2, size: nil)]) == "k[number]=2")
        #expect(try query(["k": [Page(number: 2, size: 3)]]) == "k[][number]=2&k[][size]=3")
    }

    @Test func aValueWithoutANameHasAnEmptyOne() throws {
        #expect(try encoder.encode(.encodable("x")) == "=x")
        #expect(try encoder.encode(.encodable(Set(["b", "a"]))) == "=a&=b")
        #expect(try encoder.encode(.array(["a", 1])) == "%5B%5D=a&%5B%5D=1")
        #expect(try encoder.encode(.encodable(["a", "b"])) == "%5B%5D=a&%5B%5D=b")
        #expect(try encoder.encode(.encodable(Int?.none)) == "")
    }

    @Test func aValueWithoutAFormIsAnErrorThatNamesItsPathAndType() {
        let error = failure(["a": ["b": [1, Opaque()]]])
        #expect(error?.code == .parameterEncodingFailed)
        #expect(error?.message.contains("`a.b[1]`") == true)
        #expect(error?.message.contains("Opaque") == true)
        #expect(failure(["f": { 1 } as () -> Int])?.code == .parameterEncodingFailed)
        #expect(failure(["t": (1, 2)])?.code == .parameterEncodingFailed)
        #expect(failure(["o": NSObject()])?.message.contains("NSObject") == true)
        #expect(failure(["k": [Date(): 1]])?.message.contains("Date") == true)
    }

    @Test func numbersThatAreNotFiniteAreErrors() {
        for value in [Double.nan, .infinity, -.infinity] {
            #expect(failure(["x": value])?.message.contains("`x`") == true)
            #expect(failure(["x": Float(value)])?.code == .parameterEncodingFailed)
            #expect(failure(["x": NSNumber(value: value)])?.code == .parameterEncodingFailed)
            #expect(failure(["x": [Point(x: value)]])?.message.contains("`x[0].x`") == true)
        }
        #expect(failure(["x": Decimal.nan])?.code == .parameterEncodingFailed)
        #expect(failure(["x": NSDecimalNumber.notANumber])?.code == .parameterEncodingFailed)
    }

    @Test func nestingThatIsTooDeepIsAnError() {
        var deep: Any = 1
        for _ in 0..<100_000 { deep = [deep] }
        #expect(failure(["k": deep])?.message.contains("64 levels") == true)
        unravel(&deep)
    }

    @Test func theDeepestNestingThatIsAllowedFitsASmallStack() async {
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
            let thread = Thread {
                var deep: Any = 1
                for _ in 0..<63 { deep = ["a": deep] }
                continuation.resume(returning: try? QueryEncoder().encode(.dictionary(["k": deep])))
            }
            thread.stackSize = 512 * 1024
            thread.start()
        }
        #expect(result?.hasSuffix("=1") == true)
    }

    @Test func pairsAreAvailableUnescapedAndWithTheirBytes() throws {
        let pairs = try encoder.pairs(of: .dictionary(["a b": ["x&": 1], "d": Data([1]), "n": NSNull()]))
        #expect(
            pairs == [
                QueryPair(key: "a b[x&]", value: "1"),
                QueryPair(key: "d", value: "AQ==", data: Data([1])),
                QueryPair(key: "n", value: nil),
            ]
        )
    }

    @Test func hostileTextStaysData() throws {
        let text = "a=1&b=2#f?\r\nX: y\u{0}%00"
        let query = try encoder.encode(.dictionary([text: text]))
        let escaped = "a%3D1%26b%3D2%23f?%0D%0AX%3A%20y%00%2500"
        #expect(query == "\(escaped)=\(escaped)")
    }

    /// Takes a deep value apart level by level, as the runtime would release it by recursion.
    private func unravel(_ value: inout Any) {
        while let array = value as? [Any], let first = array.first { value = first }
    }
}

private enum Direction: String { case up, down }

private struct Page: Encodable {
    var number: Int
    var size: Int?
}

private struct Point: Encodable { var x: Double }

private final class Opaque {}
