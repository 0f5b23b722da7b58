import Testing

@testable import Larkspur

@Suite("JSON values")
struct JSONValueTests {
    private func decode(_ text: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    @Test("Every kind of value is decoded, and encoded to the same JSON")
    func kinds() throws {
        let text = #"{"a":[],"b":true,"c":"é\"\\\n","d":{"":null},"e":-1.5,"f":0,"g":[[1,"1",false]],"h":1e300}"#
        let value = try decode(text)
        #expect(value["a"] == [] && value["b"] == true && value["c"] == "é\"\\\n" && value["e"] == -1.5)
        #expect(value["d"] == ["": nil] && value["f"] == 0 && value["g"] == [[1, "1", false]] && value["h"] == 1e300)
        #expect(try decode(value.description) == value)
        #expect(value["c"].string == "é\"\\\n" && value["b"].bool == true && value["e"].double == -1.5)
        #expect(value["g"].array?.count == 1 && value["d"].object?.count == 1)
    }

    @Test(
        "Integers of 64 bits are exact",
        arguments: [
            "0", "-1", "9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808",
            "9223372036854775808", "18446744073709551615",
        ]
    )
    func integers(_ text: String) throws {
        let value = try decode("[\(text)]")
        #expect(value.description == "[\(text)]")
        #expect(value[0].int == Int(text))
        #expect(value[0].uint64 == UInt64(text))
        #expect(value[0] == JSONValue.integer(Int128(text) ?? 7))
        #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == "[\(text)]")
    }

    @Test("Numbers with the same value are equal, and have the same hash")
    func equality() throws {
        #expect(try decode("1.0") == 1)
        #expect(try decode("1e2") == 100)
        #expect(JSONValue.number(1).hashValue == JSONValue.integer(1).hashValue)
        #expect(JSONValue.number(0.5) != 0 && JSONValue(true) != 1 && JSONValue("1") != 1 && JSONValue.null != 0)
        #expect(JSONValue.integer(9_007_199_254_740_993) != .number(9_007_199_254_740_992))
        #expect(Set<JSONValue>([1, 1.0, "1", true, nil, [], [:]]).count == 6)
        #expect(JSONValue(UInt64.max).uint64 == .max && JSONValue(UInt64.max).int == nil && JSONValue(-1).uint64 == nil)
    }

    @Test("A member or an element that is missing, or has another kind, is null")
    func missing() throws {
        let value: JSONValue = ["list": [1, nil], "text": "x", "text": "y"]
        #expect(value["none"]["deeper"][3] == nil && value["list"][2] == nil && value["list"][-1].isNull)
        #expect(
            value["list"][Int.min] == nil && value[0] == nil && value["text"].int == nil && value["list"].string == nil
        )
        #expect(value["text"] == "y")
        #expect(value.object?["none"] == nil && value["list"].array?[1] == .null)
    }

    @Test("Setting a member or an element creates the missing values on its path")
    func setting() {
        var value: JSONValue = ["a": [1, 2], "b": "text"]
        value["a"][1] = 3
        value["a"][2] = "new"
        value["c"]["d"][0]["e"] = true
        value["b"] = nil
        #expect(value == ["a": [1, 3, "new"], "b": nil, "c": ["d": [["e": true]]]])
        // A value that a subscript cannot set stays as it is.
        value["a"][9] = 1
        value["a"][-1] = 1
        value["c"][0] = 1
        #expect(value["a"] == [1, 3, "new"] && value["c"]["d"].array?.count == 1)
        value["a"]["x"] = 1
        #expect(value["a"] == ["x": 1])
    }

    @Test("Names stay the same under any key strategy of the decoder")
    func keys() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let value = try decoder.decode(JSONValue.self, from: Data(#"{"created_at": {"time_zone": 1}}"#.utf8))
        #expect(value["created_at"]["time_zone"] == 1)
    }

    @Test("Text that is not JSON is an error", arguments: ["", "{", "[1,", "nul", "\"", "{\"a\"}", "[1e999]"])
    func malformed(_ text: String) {
        #expect(throws: (any Error).self) { try decode(text) }
    }

    @Test("A value that JSON cannot represent is an error, and does not end the process")
    func unencodable() throws {
        var deep: JSONValue = []
        for level in 0..<2_000 { deep = level.isMultiple(of: 2) ? [deep] : ["a": deep] }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(deep) }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(JSONValue.number(.infinity)) }
        #expect(deep.description == "…")
    }

    @Test("Values can be parameters of a query, a form and JSON")
    func parameters() throws {
        let value: JSONValue = ["a": [1, true], "b": "x y", "c": 18_446_744_073_709_551_615]
        let url = try #require(URL(string: "http://example.com"))
        let query = try RequestBuilder().makeRequest(.get, url: url, parameters: .dictionary(value.object ?? [:]))
        #expect(query.url?.query == "a%5B%5D=1&a%5B%5D=1&b=x%20y&c=18446744073709551615")
        let json = try RequestBuilder(.json).makeRequest(.post, url: url, parameters: .dictionary(["v": value]))
        #expect(try decode(String(decoding: json.httpBody ?? Data(), as: UTF8.self)) == ["v": value])
    }
}
