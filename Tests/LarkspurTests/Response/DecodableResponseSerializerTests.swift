import Testing

@testable import Larkspur

private struct User: Codable, Equatable, Sendable {
    var name: String
    var age: Int?
}

private struct Page: Decodable, Equatable, Sendable, EmptyContentRepresentable {
    var items: [String]
    static let emptyContent = Page(items: [])
}

private indirect enum Tree: Codable, Sendable {
    case node([Tree])

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var children: [Tree] = []
        while !container.isAtEnd { children.append(try container.decode(Tree.self)) }
        self = .node(children)
    }

    func encode(to encoder: any Encoder) throws {}
}

private struct UppercaseDecoder: DataDecoder {
    var contentTypes: Set<MediaRange> { ["text/plain"] }

    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try #require(String(decoding: data, as: UTF8.self).uppercased() as? Value)
    }
}

/// Removes the prefix by which some servers keep JSON from being run as a script, and rejects what is not to be read.
private struct PrefixDecoder: DataDecoder {
    struct Refusal: Error {}

    var contentTypes: Set<MediaRange> { .json }

    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try JSONDecoder().decode(type, from: data)
    }

    func preparedContent(_ data: Data) throws -> Data {
        if data.first == UInt8(ascii: "!") { throw Refusal() }
        let prefix = Data(")]}',\n")
        return data.starts(with: prefix) ? Data(data.dropFirst(prefix.count)) : data
    }
}

struct DecodableResponseSerializerTests {
    private func decode<Value>(_ serializer: DecodableResponseSerializer<Value>, _ text: String) throws -> Value {
        try serializer.serialize(Data(text), response: nil)
    }

    @Test func jsonIsDecoded() throws {
        #expect(try decode(.decodable(User.self), #"{"name":"Ada"}"#) == User(name: "Ada"))
        #expect(try decode(.decodable([User].self), #"[{"name":"Ada"}]"#) == [User(name: "Ada")])
        let inferred: User = try decode(.decodable(), #"{"name":"Ada"}"#)
        #expect(inferred.name == "Ada")
    }

    @Test func theDecoderCanBeChosen() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Snake: Decodable, Sendable { var firstName: String }
        #expect(try decode(.decodable(Snake.self, decoder: decoder), #"{"first_name":"Ada"}"#).firstName == "Ada")
        #expect(try decode(.decodable(String.self, decoder: UppercaseDecoder()), "abc") == "ABC")
    }

    @Test func aDecoderMayPrepareTheContent() throws {
        let serializer = DecodableResponseSerializer<User>(decoder: PrefixDecoder())
        #expect(try decode(serializer, ")]}',\n" + #"{"name":"Ada"}"#) == User(name: "Ada"))
        #expect(try decode(serializer, #"{"name":"Ada"}"#) == User(name: "Ada"))
        let error = try larkspurError { _ = try decode(serializer, "!{}") }
        #expect(error.code == .responseSerializationFailed)
        #expect(error.underlyingError is PrefixDecoder.Refusal)
    }

    @Test(arguments: [
        "application/json", "text/json", "text/javascript", "application/problem+json", "application/hal+json",
    ])
    func jsonTypesAreAcceptable(type: String) throws {
        try DecodableResponseSerializer<User>().validation.validate(httpResponse(200, type), data: Data("{}"))
    }

    @Test func theDecoderSaysWhichTypesAreAcceptable() throws {
        let json = DecodableResponseSerializer<User>()
        let plist = DecodableResponseSerializer<User>(decoder: PropertyListDecoder())
        let response = try httpResponse(200, "application/x-plist")
        #expect(throws: LarkspurError.self) { try json.validation.validate(response, data: Data("x")) }
        try plist.validation.validate(response, data: Data("x"))
        #expect(
            DecodableResponseSerializer<User>(validation: .anything).acceptableContentTypes == nil
        )
    }

    @Test(arguments: ["", " "])
    func noContentIsTheEmptyValueOfATypeThatHasOne(text: String) throws {
        #expect(try decode(.decodable(User?.self), text) == nil)
        #expect(try decode(.decodable(Empty.self), text) == Empty())
        #expect(try decode(.decodable(Page.self), text) == Page(items: []))
    }

    @Test func noContentIsAnErrorForAnyOtherType() throws {
        let error = try larkspurError { _ = try decode(.decodable(User.self), "") }
        #expect(error.code == .emptyResponse)
        #expect(error.message == "The response has no content where the type User is expected")
        #expect(throws: LarkspurError.self) { _ = try decode(.decodable([User].self), "") }
    }

    @Test func anOptionalIsDecodedWhereThereIsContent() throws {
        #expect(try decode(.decodable(User?.self), #"{"name":"Ada"}"#) == User(name: "Ada"))
        #expect(try decode(.decodable(User?.self), "null") == nil)
    }

    @Test(arguments: ["{}", "[1]", #"{"a":[1]}"#])
    func emptyAcceptsWhateverJSONThereIs(text: String) throws {
        #expect(try decode(.decodable(Empty.self), text) == Empty())
    }

    @Test(arguments: [
        (#"[{"age":1}]"#, #"there is no "name" at [0]"#),
        (#"[{"name":null}]"#, "[0].name"),
        (#"[{"name":"secret","age":"secret"}]"#, "[0].age"),
        (#"[{"name":"#, "at the top level"),
        (#"{"secret":1}"#, "at the top level"),
    ])
    func aFailureIsPutIntoWordsWithoutTheBody(text: String, part: String) throws {
        let error = try larkspurError { _ = try decode(.decodable([User].self), text) }
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message.hasPrefix("The content is not of the type Array<User>: "))
        #expect(error.message.contains(part))
        #expect(!error.message.contains("secret"))
        #expect(error.underlyingError is DecodingError)
    }

    @Test(arguments: [(#"{"user_name":"Ada"}"#, true), (#"{"username":"Ada"}"#, false)])
    func aMissingMemberInSnakeCaseIsNamed(text: String, isNamed: Bool) throws {
        struct Profile: Decodable { let userName: String }

        let error = try larkspurError { _ = try decode(.decodable(Profile.self), text) }
        #expect(error.message.contains(#"there is no "userName" at the top level"#))
        #expect(error.message.contains(#"but there is "user_name""#) == isNamed)
        #expect(error.message.contains(".convertFromSnakeCase") == isNamed)
    }

    @Test func propertyListsAreDecoded() throws {
        let decoder = PropertyListDecoder()
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            let data = try encoder.encode(["list": [User(name: "Ada", age: 36)]])
            let value = try DecodableResponseSerializer<[String: [User]]>(decoder: decoder)
                .serialize(data, response: nil)
            #expect(value == ["list": [User(name: "Ada", age: 36)]])
        }
    }

    @Test(arguments: [
        nested("[", "]", 100_000), Data(#"{"x":"#) + nested("[", "]", 100_000) + Data("}"), Data([0]), Data([0xFF]),
        Data("[" + String(repeating: "9", count: 100_000) + "]"),
    ])
    func hostileJSONIsAnError(data: Data) throws {
        let error = try larkspurError {
            _ = try DecodableResponseSerializer<[String: Int]>().serialize(data, response: nil)
        }
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message.count < 500)
    }

    @Test(arguments: BinaryPropertyListTests.hostile + PropertyListResponseSerializerTests.hostile)
    func hostilePropertyListsAreAnError(data: Data) throws {
        let error = try larkspurError {
            _ = try DecodableResponseSerializer<Tree>(decoder: PropertyListDecoder()).serialize(data, response: nil)
        }
        #expect(error.code == .responseSerializationFailed)
    }
}
