import LarkspurXML
import Testing

@testable import Larkspur

private struct Picture: ResponseSerializer {
    var validation = ResponseValidation(acceptableContentTypes: ["image/*"])

    func serialize(_ data: Data, response: URLResponse?) throws -> sending String? { "picture" }
}

struct CompoundResponseSerializerTests {
    private let json = Data(#"{"foo":"bar"}"#)

    private func run(
        _ serializer: CompoundResponseSerializer,
        _ response: HTTPURLResponse,
        _ data: Data
    ) -> Result<Any?, LarkspurError> {
        ResponsePipeline.run(serializer, request: nil, response: response, data: data)
    }

    @Test func theFirstMemberThatMakesAnObjectWins() throws {
        let serializer = CompoundResponseSerializer([Picture(), JSONResponseSerializer()])
        let object = try run(serializer, httpResponse(200, "application/json"), json).get()
        #expect(object as? [String: String] == ["foo": "bar"])
        let picture = try run(serializer, httpResponse(200, "image/png"), json).get()
        #expect(picture as? String == "picture")
    }

    @Test func theWinnersOwnErrorIsTheResultAndHoldsItsObject() throws {
        let serializer = CompoundResponseSerializer([Picture(), JSONResponseSerializer()])
        let error = try #require(run(serializer, httpResponse(422, "application/json"), json).failure)
        #expect(error.code == .unacceptableStatusCode)
        #expect(error.responseObject as? [String: String] == ["foo": "bar"])
        #expect(error.underlyingError == nil)
    }

    @Test func theWinnersObjectIsKeptWhereTheCompoundFindsTheStatusUnacceptableToo() throws {
        var serializer = CompoundResponseSerializer([JSONResponseSerializer()])
        serializer.acceptableStatusCodes = .successful
        let error = try #require(run(serializer, httpResponse(422, "application/json"), json).failure)
        #expect(error.code == .unacceptableStatusCode)
        #expect(error.responseObject as? [String: String] == ["foo": "bar"])
    }

    @Test func theContentIsTheResultWhereNoMemberFindsAnObject() throws {
        let serializer = CompoundResponseSerializer([JSONResponseSerializer(), XMLParserResponseSerializer()])
        #expect(try run(serializer, httpResponse(204), Data()).get() as? Data == Data())
        #expect(try run(CompoundResponseSerializer([]), httpResponse(200), json).get() as? Data == json)
    }

    @Test func aMemberThatFindsNothingIsNoFailure() throws {
        var strict = JSONResponseSerializer()
        strict.acceptableStatusCodes = [201]
        let serializer = CompoundResponseSerializer([strict, JSONResponseSerializer()])
        #expect(try run(serializer, httpResponse(200), Data()).get() as? Data == Data())
    }

    @Test func theErrorKeepsThoseOfTheMembersWhereAllFail() throws {
        let serializer = CompoundResponseSerializer([Picture(), JSONResponseSerializer()])
        let response = try httpResponse(200, "application/json")
        let error = try #require(run(serializer, response, Data("{invalid}")).failure)
        #expect(error.code == .responseSerializationFailed)
        #expect(error.response == response)
        let members = try #require(error.underlyingError as? CompoundResponseSerializer.MemberErrors)
        #expect(members.errors.map(\.code) == [.unacceptableContentType, .responseSerializationFailed])
        #expect(error.contains(.unacceptableContentType))
        #expect(error.message.contains("unacceptable content-type: application/json"))
    }

    @Test func theStatusStaysOnTopWhereAllFail() throws {
        let serializer = CompoundResponseSerializer([Picture(), JSONResponseSerializer()])
        let error = try #require(run(serializer, httpResponse(404, "text/html"), Data("<p>")).failure)
        #expect(error.code == .unacceptableStatusCode)
        #expect(error.message == "Request failed: Not Found (404)")
        #expect(error.contains(.unacceptableContentType))
        let members = try #require(error.underlyingError as? CompoundResponseSerializer.MemberErrors)
        #expect(members.errors.count == 2)
    }

    @Test func theRawContentIsHadByALastMember() throws {
        let serializer = CompoundResponseSerializer.compound([.json, .data])
        #expect(try run(serializer, httpResponse(200, "text/html"), Data("<p>")).get() as? Data == Data("<p>"))
    }

    @Test func aChangedCopyLeavesTheOriginalAlone() {
        let original = CompoundResponseSerializer([Picture(), JSONResponseSerializer()])
        var copy = original
        copy.members.removeLast()
        copy.acceptableStatusCodes = [200]
        copy.acceptableContentTypes = .json
        #expect(original.members.count == 2)
        #expect(original.members.last is JSONResponseSerializer)
        #expect(original.acceptableStatusCodes == nil)
        #expect(original.acceptableContentTypes == nil)
    }
}
