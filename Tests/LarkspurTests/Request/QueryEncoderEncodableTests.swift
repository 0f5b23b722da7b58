import Testing

@testable import Larkspur

/// `Encodable` parameters: every kind of container that an `encode(to:)` may ask for.
@Suite struct QueryEncoderEncodableTests {
    private func query(_ value: any Encodable, _ change: (inout QueryEncoder) -> Void = { _ in }) throws -> String {
        var encoder = QueryEncoder()
        change(&encoder)
        let text = try encoder.encode(.encodable(value))
        return text.removingPercentEncoding ?? text
    }

    private func failure(_ value: any Encodable) -> LarkspurError? {
        #expect(throws: LarkspurError.self) { try query(value) }
    }

    @Test func everyPrimitiveIsEncoded() throws {
        struct Everything: Encodable {
            var a = true
            var b = "text"
            var c = 1.5
            var d = Float(0.1)
            var e = 1
            var f = Int8(2)
            var g = Int16(3)
            var h = Int32(4)
            var i = Int64(5)
            var j = Int128(6)
            var k = UInt(7)
            var l = UInt8(8)
            var m = UInt16(9)
            var n = UInt32(10)
            var o = UInt64(11)
            var p = UInt128(12)
        }
        #expect(
            try query(Everything())
                == "a=1&b=text&c=1.5&d=0.1&e=1&f=2&g=3&h=4&i=5&j=6&k=7&l=8&m=9&n=10&o=11&p=12"
        )
    }

    @Test func nestedTypesCollectionsAndFoundationTypesAreEncoded() throws {
        struct Inner: Encodable {
            var date = Date(timeIntervalSinceReferenceDate: 0)
            var link = URL(string: "http://example.com")
        }
        struct Outer: Encodable {
            var data = Data([1])
            var inner = Inner()
            var list = [1, 2]
            var matrix = [["x": [true]]]
            var price = Decimal(5)
            var tags: Set = ["b", "a"]
        }
        #expect(
            try query(Outer())
                == "data=AQ==&inner[date]=2001-01-01T00:00:00Z&inner[link]=http://example.com&list[]=1&list[]=2&matrix[][x][]=1"
                + "&price=5&tags=a&tags=b"
        )
    }

    @Test func nilPropertiesAreLeftOutUnlessAskedFor() throws {
        struct Optionals: Encodable {
            var a: Bool?
            var b: String?
            var c: Double?
            var d: Float?
            var e: Int?
            var f: Int8?
            var g: Int16?
            var h: Int32?
            var i: Int64?
            var j: Int128?
            var k: UInt?
            var l: UInt8?
            var m: UInt16?
            var n: UInt32?
            var o: UInt64?
            var p: UInt128?
            var q: [Int]?
            var r: Date?
        }
        #expect(try query(Optionals()) == "")
        #expect(try query(Optionals(a: true, j: 1, q: [2])) == "a=1&j=1&q[]=2")
        #expect(try query(Optionals()) { $0.includesNilProperties = true } == "a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p&q&r")
        #expect(
            try query(Optionals(b: "x")) {
                $0.includesNilProperties = true
                $0.nullStyle = .drop
            } == "b=x"
        )
    }

    @Test func nilPropertiesFollowTheNullStyle() throws {
        struct Pair: Encodable {
            var one = "one"
            var two: String?
        }
        func text(_ style: QueryEncoder.NullStyle) throws -> String {
            try query(Pair()) {
                $0.includesNilProperties = true
                $0.nullStyle = style
            }
        }
        #expect(try text(.custom { _ in "null" }) == "one=one&two=null")
        #expect(try text(.custom { _ in "" }) == "one=one&two=")
        #expect(try text(.drop) == "one=one")
        #expect(try text(.keyOnly) == "one=one&two")
        #expect(try text(.custom { "no \($0)" }) == "one=one&two=no two")
    }

    @Test func nilThatIsEncodedFollowsTheNullStyle() throws {
        struct Explicit: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encodeNil(forKey: "a")
                try container.encode(String?.none, forKey: "b")
                var list = container.nestedUnkeyedContainer(forKey: "c")
                try list.encodeNil()
            }
        }
        #expect(try query(Explicit()) == "a&b&c[]")
        #expect(try query(Explicit()) { $0.nullStyle = .custom { _ in "" } } == "a=&b=&c[]=")
    }

    @Test func nestedContainersAndSuperEncodersLandInTheirPlaces() throws {
        struct Nested: Encodable {
            func encode(to encoder: any Encoder) throws {
                var root = encoder.container(keyedBy: Key.self)
                var object = root.nestedContainer(keyedBy: Key.self, forKey: "object")
                var array = root.nestedUnkeyedContainer(forKey: "array")
                // Written to in turn, and after their parent.
                try object.encode(1, forKey: "a")
                try array.encode("x")
                var inArray = array.nestedContainer(keyedBy: Key.self)
                try inArray.encode(2, forKey: "b")
                var deeper = array.nestedUnkeyedContainer()
                try deeper.encode(Int128(3))
                try 4.encode(to: array.superEncoder())
                try 5.encode(to: root.superEncoder())
                try ["y"].encode(to: root.superEncoder(forKey: "zuper"))
                #expect(array.count == 4)
            }
        }
        #expect(
            try query(Nested()) == "array[]=x&array[][b]=2&array[][]=3&array[]=4&object[a]=1&super=5&zuper[]=y"
        )
    }

    @Test func elementsAreNamedByTheirIndexWhateverTheyAre() throws {
        struct Outer: Encodable {
            var inner = ["a": ["b": "b"]]
            var list = [1, 2]
            var tags = [["x": true]]
        }
        func indexed(_ value: any Encodable) throws -> String {
            try query(value) { $0.arrayStyle = .custom { "\($0)[\($1)]" } }
        }
        #expect(try indexed(["foo": [["bar": 2], ["qux": 3]]]) == "foo[0][bar]=2&foo[1][qux]=3")
        #expect(try indexed(["foo": [["bar": "2"], ["qux": "3"]]]) == "foo[0][bar]=2&foo[1][qux]=3")
        #expect(try indexed(["foo": [["bar": true], ["qux": false]]]) == "foo[0][bar]=1&foo[1][qux]=0")
        #expect(try indexed(Outer()) == "inner[a][b]=b&list[0]=1&list[1]=2&tags[0][x]=1")
        #expect(try indexed(Dog()) == "five[a]=a&five[b]=b&four[0]=1&four[1]=2&four[2]=3&one=one&three=1&two=2")
        #expect(
            try indexed(["foo": [Animal(), Animal()]])
                == "foo[0][one]=one&foo[0][three]=1&foo[0][two]=2&foo[1][one]=one&foo[1][three]=1&foo[1][two]=2"
        )
    }

    @Test func inheritanceThroughTheSameEncoderSharesOneObject() throws {
        struct Base: Encodable { var a = 1 }
        struct Derived: Encodable {
            func encode(to encoder: any Encoder) throws {
                try Base().encode(to: encoder)
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(2, forKey: "b")
            }
        }
        #expect(try query(Derived()) == "a=1&b=2")
    }

    @Test func aClassAndItsSubclassAreOneObject() throws {
        #expect(try query(Animal()) == "one=one&three=1&two=2")
        #expect(
            try query(Dog()) == "five[a]=a&five[b]=b&four[]=1&four[]=2&four[]=3&one=one&three=1&two=2"
        )
        #expect(
            try query(Dog()) { $0.sortsKeys = false }
                == "one=one&two=2&three=1&four[]=1&four[]=2&four[]=3&five[a]=a&five[b]=b"
        )
    }

    @Test func aKeyEncodedTwiceKeepsItsLastValueInItsFirstPlace() throws {
        struct Twice: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: "b")
                try container.encode(2, forKey: "a")
                try container.encode(3, forKey: "b")
            }
        }
        #expect(try query(Twice()) { $0.sortsKeys = false } == "b=3&a=2")
    }

    @Test func ofSeveralContainersUnderOneKeyTheLastStays() throws {
        struct Root: Encodable {
            func encode(to encoder: any Encoder) throws {
                var root = encoder.container(keyedBy: Key.self)
                var object = root.nestedContainer(keyedBy: Key.self, forKey: "root")
                try object.encode(["string": "string"], forKey: "a")
                var array = root.nestedUnkeyedContainer(forKey: "root")
                try array.encode([1, 2])
                var inArray = array.nestedContainer(keyedBy: Key.self)
                try inArray.encode(["string": "string"], forKey: "a")
                var deeper = array.nestedUnkeyedContainer()
                try deeper.encode([1, 2])
            }
        }
        #expect(
            try query(Root()) == "root[][]=1&root[][]=2&root[][a][string]=string&root[][][]=1&root[][][]=2"
        )
        #expect(
            try query(Root()) { $0.arrayStyle = .custom { "\($0)[\($1)]" } }
                == "root[0][0]=1&root[0][1]=2&root[1][a][string]=string&root[2][0][0]=1&root[2][0][1]=2"
        )
    }

    @Test func singleValuesStandForThemselves() throws {
        struct Wrapper<Value: Encodable>: Encodable {
            var value: Value
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(value)
            }
        }
        struct Holder: Encodable {
            var k = Wrapper(value: Wrapper(value: ["a": UInt128(1)]))
            var n = Wrapper(value: Bool?.none)
        }
        #expect(try query(Holder()) == "k[a]=1&n")
        #expect(try query(Wrapper(value: Int128(1))) == "=1")
    }

    @Test func aTypeThatEncodesNothingIsNothing() throws {
        struct Nothing: Encodable { func encode(to encoder: any Encoder) {} }
        struct Empty: Encodable {}
        struct Holder: Encodable {
            var a = Nothing()
            var b = Empty()
            var c = 1
        }
        #expect(try query(Holder()) == "c=1")
        #expect(try query(Nothing()) == "")
    }

    @Test func codingPathAndUserInfoReachTheValue() throws {
        struct Probe: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                let path = encoder.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
                #expect(container.codingPath.count == path.count)
                try container.encode("\(path.joined(separator: "/")):\(encoder.userInfo.values.first ?? "")")
            }
        }
        let tenant = try #require(CodingUserInfoKey(rawValue: "tenant"))
        let text = try query(["a": [Probe()]]) { $0.userInfo[tenant] = "acme" }
        #expect(text == "a[]=a/0:acme")
    }

    @Test func whatAnEncodeThrowsIsKeptUnderneathWithItsPath() {
        struct Broken: Encodable {
            func encode(to encoder: any Encoder) throws { throw Refusal() }
        }
        struct Invalid: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                let nested = container.nestedContainer(keyedBy: Key.self, forKey: "inner")
                throw EncodingError.invalidValue(7, .init(codingPath: nested.codingPath, debugDescription: "no"))
            }
        }
        let broken = failure(["a": ["b": Broken()]])
        #expect(broken?.code == .parameterEncodingFailed)
        #expect(broken?.underlyingError is Refusal)
        #expect(broken?.message.contains("`a.b`") == true)
        let invalid = failure(["a": [Invalid()]])
        #expect(invalid?.underlyingError is EncodingError)
        #expect(invalid?.message.contains("`a[0].inner`") == true)
        #expect(invalid?.message.contains("Int") == true)
    }

    @Test func containersOfDifferentKindsAreAnErrorAndNoTrap() {
        struct Mixed: Encodable {
            func encode(to encoder: any Encoder) throws {
                var array = encoder.unkeyedContainer()
                try array.encode(1)
                var object = encoder.container(keyedBy: Key.self)
                try object.encode(1, forKey: "a")
                var other = object.nestedUnkeyedContainer(forKey: "b")
                try other.encode(1)
            }
        }
        struct TwoValues: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
                try container.encode(2)
            }
        }
        struct ValueThenArray: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
                var array = encoder.unkeyedContainer()
                try array.encode(2)
            }
        }
        #expect(failure(["k": Mixed()])?.message.contains("`k`") == true)
        #expect(failure(TwoValues())?.code == .parameterEncodingFailed)
        #expect(failure(ValueThenArray())?.code == .parameterEncodingFailed)
    }

    @Test func endlessNestingEndsInAnError() {
        struct Endless: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(Endless(), forKey: "next")
            }
        }
        struct Itself: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(Itself())
            }
        }
        struct Containers: Encodable {
            func encode(to encoder: any Encoder) {
                // No value at the end: the containers alone are too deep.
                var container = encoder.unkeyedContainer()
                for _ in 0..<5_000 { container = container.nestedUnkeyedContainer() }
            }
        }
        #expect(failure(Endless())?.message.contains("64 levels") == true)
        #expect(failure(Itself())?.message.contains("64 levels") == true)
        #expect(failure(Containers())?.message.contains("64 levels") == true)
    }
}

private struct Key: CodingKey, ExpressibleByStringLiteral {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { nil }
}

private struct Refusal: Error {}

private class Animal: Encodable {
    let one = "one"
    let two = 2
    let three = true
}

private final class Dog: Animal {
    let four = [1, 2, 3]
    let five = ["b": "b", "a": "a"]

    override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(four, forKey: "four")
        try container.encode(five, forKey: "five")
    }
}
