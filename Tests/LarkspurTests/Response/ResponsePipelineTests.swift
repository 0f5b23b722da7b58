import Testing

@testable import Larkspur

/// A serializer whose behaviour a test chooses.
private struct Scripted<Output>: ResponseSerializer {
    var validation = ResponseValidation()
    var body: @Sendable (Data) throws -> sending Output

    init(_ body: @escaping @Sendable (Data) throws -> sending Output) { self.body = body }

    func serialize(_ data: Data, response: URLResponse?) throws -> sending Output { try body(data) }
}

private struct ForeignError: Error {}

/// A type with an empty value of its own.
private struct Nothing: Decodable, Equatable, Sendable, EmptyContentRepresentable {
    static let emptyContent = Nothing()
}

struct ResponsePipelineTests {
    private let request = URLRequest(url: URL(fileURLWithPath: "/request"))
    private let body = Data(#"{"a":1}"#)

    private func run<S: ResponseSerializer>(
        _ serializer: S,
        _ response: URLResponse?,
        _ data: Data? = nil
    ) -> Result<S.Output, LarkspurError> {
        ResponsePipeline.run(serializer, request: request, response: response, data: data ?? body)
    }

    @Test func anAcceptableResponseIsSerialized() throws {
        let object = try run(.json, httpResponse(200, "application/json")).get()
        #expect((object as? [String: Int]) == ["a": 1])
    }

    @Test func anUnacceptableTypeIsNotParsed() throws {
        let serializer = Scripted<Data> { _ in throw ForeignError() }
        var strict = serializer
        strict.acceptableContentTypes = ["text/plain"]
        for status in [200, 500] {
            let error = try #require(run(strict, httpResponse(status, "text/html")).failure)
            #expect(error.contains(.unacceptableContentType))
            #expect(!error.contains(.responseSerializationFailed))
            #expect(error.responseObject == nil)
            #expect(error.request == request)
            #expect(error.responseData == body)
        }
    }

    @Test func theErrorOfAnUnacceptableStatusKeepsTheParsedObject() throws {
        let error = try #require(run(.json, httpResponse(422, "application/json")).failure)
        #expect(error.code == .unacceptableStatusCode)
        #expect((error.responseObject as? [String: Int]) == ["a": 1])
        #expect(error.underlyingError == nil)
        #expect(error.request == request)
    }

    @Test(arguments: [#"{"a":1}"#, #"{"error":"no"}"#, "[]", "oops", ""])
    func theTypeOfASuccessIsNotThatOfAFailure(text: String) throws {
        let data = Data(text.utf8)
        let response = try httpResponse(422, "application/json")
        let typed = try #require(run(.decodable([String: Int].self), response, data).failure)
        #expect(typed.code == .unacceptableStatusCode && typed.responseData == data)
        #expect(typed.underlyingError == nil && typed.responseObject == nil)
        #expect(typed.failure(as: [String: Int].self) == (text == #"{"a":1}"# ? ["a": 1] : nil))
        let erased = try #require(
            run(AnyResponseSerializer(DecodableResponseSerializer([String: Int].self)), response, data).failure
        )
        #expect(erased.underlyingError == nil && erased.responseObject == nil)
        // A status that is accepted is decoded, whatever it is.
        var accepting = DecodableResponseSerializer([String: Int].self)
        accepting.acceptableStatusCodes = [422]
        #expect((try? run(accepting, response, data).get()) == (text == #"{"a":1}"# ? ["a": 1] : nil))
    }

    @Test func anEmptyOptionalIsNoObject() throws {
        let error = try #require(run(.json, httpResponse(500), Data()).failure)
        #expect(error.code == .unacceptableStatusCode)
        #expect(error.responseObject == nil)
        #expect(error.responseObjectBox == nil)
    }

    @Test(arguments: [("GET", 200), ("GET", 204), ("GET", 205), ("HEAD", 200), ("POST", 201)])
    func noContentIsTheEmptyValueWhateverMethodAndStatus(method: String, status: Int) throws {
        var sent = request
        sent.httpMethod = method
        let (message, response) = (sent, try httpResponse(status))
        func value<S: ResponseSerializer>(_ serializer: S) throws -> S.Output {
            try ResponsePipeline.run(serializer, request: message, response: response, data: Data()).get()
        }
        #expect(try value(.data) == Data())
        #expect(try value(.string) == "")
        #expect(try value(.json) == nil)
        #expect(try value(.decodable(Empty.self)) == Empty())
        #expect(try value(.decodable(Nothing.self)) == Nothing())
        #expect(try value(.decodable(Int?.self)) == nil)
        let error = try larkspurError { _ = try value(.decodable(Int.self)) }
        #expect(error.code == .emptyResponse)
    }

    @Test func theStatusErrorStaysOnTopOfAParseErrorAndBothAreKept() throws {
        let error = try #require(run(.json, httpResponse(503, "application/json"), Data("{invalid}")).failure)
        #expect(error.code == .unacceptableStatusCode)
        let parseError = try #require(error.underlyingError as? LarkspurError)
        #expect(parseError.code == .responseSerializationFailed)
        #expect(parseError.underlyingError != nil)
        #expect(error.contains(.responseSerializationFailed))
    }

    @Test func aStatusErrorIsNotLostWhenTheParseErrorHasAnUnderlyingError() throws {
        let serializer = Scripted<Data> { _ in
            throw LarkspurError(.responseSerializationFailed, "outer", underlyingError: ForeignError())
        }
        let error = try #require(run(serializer, httpResponse(500)).failure)
        #expect(error.code == .unacceptableStatusCode)
        let parseError = try #require(error.underlyingError as? LarkspurError)
        #expect(parseError.message == "outer")
        #expect(parseError.underlyingError is ForeignError)
    }

    @Test func aLarkspurErrorIsReportedAsItIsWithWhatItLacks() throws {
        let serializer = Scripted<Data> { _ in throw LarkspurError(.emptyResponse, "mine") }
        let response = try httpResponse()
        let error = try #require(run(serializer, response).failure)
        #expect(error.code == .emptyResponse)
        #expect(error.message == "mine")
        #expect(error.request == request)
        #expect(error.response == response)
        #expect(error.responseData == body)
    }

    @Test func whatALarkspurErrorSaysItselfIsNotReplaced() throws {
        let own = URLRequest(url: URL(fileURLWithPath: "/own"))
        let serializer = Scripted<Data> { _ in
            throw LarkspurError(.emptyResponse, "mine", request: own, responseData: Data("own"))
        }
        let error = try #require(run(serializer, httpResponse()).failure)
        #expect(error.request == own)
        #expect(error.responseData == Data("own"))
    }

    @Test func anotherErrorIsWrapped() throws {
        let error = try #require(run(Scripted<Data> { _ in throw ForeignError() }, httpResponse()).failure)
        #expect(error.code == .responseSerializationFailed)
        #expect(error.underlyingError is ForeignError)
        #expect(error.message.contains("ForeignError"))
        #expect(error.responseData == body)
    }

    @Test func aDecodingErrorIsPutIntoWords() throws {
        let serializer = Scripted { try JSONDecoder().decode([String: [Int]].self, from: $0) }
        let error = try #require(run(serializer, nil, Data(#"{"ages":[1,"secret"]}"#)).failure)
        #expect(error.message.contains("ages[1]"))
        #expect(error.message.contains("Int"))
        #expect(!error.message.contains("secret"))
        #expect(error.underlyingError is DecodingError)
        #expect(error.responseData == nil)
    }

    @Test func anNSErrorDoesNotSpillItsUserInfo() {
        let error = NSError(domain: "Domain", code: 7, userInfo: ["secret": "body"])
        #expect(SerializationFailure.reason(error) == "Domain 7")
        let long = NSError(domain: "D", code: 1, userInfo: ["NSDebugDescription": String(repeating: "9", count: 9_999)])
        #expect(SerializationFailure.reason(long).count < 200)
    }

    @Test func anErasedRunTellsNilFromAnObject() throws {
        func run(_ serializer: any ResponseSerializer, _ data: Data) throws -> Any? {
            try ResponsePipeline.runErased(
                serializer,
                request: nil,
                response: httpResponse(200, "application/json"),
                data: data
            ).get()
        }
        #expect(try run(.json, Data()) == nil)
        #expect(try run(.json, body) is [String: Any])
        #expect(try run(.data, Data()) is Data)
        #expect(try run(Scripted<Int??> { _ in .some(nil) }, body) == nil)
        #expect(try run(Scripted<Int??> { _ in 5 }, body) as? Int == 5)
        #expect(throws: LarkspurError.self) { _ = try run(.json, Data("{")) }
    }

    @Test func optionalsAreUnwrappedAtRunTime() {
        #expect(unwrapped(Int?.none as Any) == nil)
        #expect(unwrapped(Int?.some(1) as Any) as? Int == 1)
        #expect(unwrapped(Int??.some(nil) as Any) == nil)
        #expect(unwrapped("text") as? String == "text")
        #expect(unwrapped(NSNull()) is NSNull)
    }
}
