import LarkspurTesting
import Testing

@testable import Larkspur

struct ResponseValidationTests {
    private let body = Data("content")

    @Test(
        "The last valid one of two Content-Type fields is validated, and determines the charset",
        arguments: TestTransport.allCases
    )
    func twoContentTypes(_ transport: TestTransport) async throws {
        struct Item: Decodable, Sendable { let name: String }
        let server = try LoopbackServer()
        let item = LoopbackServer.Response.data(Data(#"{"name":"a"}"#.utf8), contentType: "text/html")
        server.route("/json", item.adding("Content-Type", "application/json"))
        server.route("/same", .json(#"{"name":"a"}"#).adding("Content-Type", "application/json"))
        server.route("/html", .json(#"{"name":"a"}"#).adding("Content-Type", "text/html"))
        let latin = LoopbackServer.Response.data(Data([0xE4]), contentType: "text/plain; charset=utf-8")
        server.route("/latin", latin.adding("Content-Type", "text/plain; charset=iso-8859-1"))
        let manager = transport.makeManager(for: server)

        for path in ["json", "same"] { #expect(try await manager.get(path).value(as: Item.self).name == "a") }
        let error = await #expect(throws: LarkspurError.self) { try await manager.get("html").value(as: Item.self) }
        #expect(error?.code == .unacceptableContentType)
        #expect(error?.message.contains("unacceptable content-type: text/html;") == true)
        #expect(try await manager.get("latin").string == "ä")
    }

    @Test(arguments: 200..<300)
    func everyStatusOfTheSuccessfulClassIsAcceptable(status: Int) throws {
        try DataResponseSerializer().validation.validate(httpResponse(status), data: body)
    }

    @Test(arguments: 400..<600)
    func everyErrorStatusIsUnacceptable(status: Int) throws {
        let error = try larkspurError {
            try DataResponseSerializer().validation.validate(httpResponse(status), data: body)
        }
        #expect(error.code == .unacceptableStatusCode)
        #expect(error.statusCode == status)
    }

    @Test func anyContentTypeIsAcceptableByDefault() throws {
        try DataResponseSerializer().validation.validate(httpResponse(200, "text/html"), data: body)
    }

    @Test(arguments: [204, 205])
    func aMissingContentTypeIsAcceptableWithoutContent(status: Int) throws {
        try ResponseValidation(acceptableContentTypes: ["application/json"])
            .validate(httpResponse(status), data: Data())
    }

    @Test func aMissingContentTypeIsUnacceptableWithContent() throws {
        let error = try larkspurError {
            try ResponseValidation(acceptableContentTypes: ["application/json"])
                .validate(httpResponse(205), data: body)
        }
        #expect(error.code == .unacceptableContentType)
        #expect(error.message == "Request failed: unacceptable content-type: none; accepted: application/json")
    }

    @Test func aWrongContentTypeIsAcceptableWithoutContent() throws {
        try ResponseValidation(acceptableContentTypes: .json).validate(httpResponse(200, "text/html"), data: Data())
    }

    @Test func aContentTypeErrorNamesTheTypeAndKeepsTheResponse() throws {
        let response = try httpResponse(200, "Text/HTML; charset=utf-8")
        let error = try larkspurError {
            try ResponseValidation(acceptableContentTypes: .json).validate(response, data: body)
        }
        #expect(
            error.message == "Request failed: unacceptable content-type: text/html; "
                + "accepted: application/json, text/javascript, text/json"
        )
        #expect(error.response == response)
        #expect(error.responseData == body)
        #expect((error as NSError).code == NSURLErrorCannotDecodeContentData)
    }

    @Test func aStatusErrorNamesTheStatusAndKeepsTheResponse() throws {
        let response = try httpResponse(404)
        let error = try larkspurError { try ResponseValidation().validate(response, data: Data()) }
        #expect(error.message == "Request failed: Not Found (404)")
        #expect(error.response == response)
        #expect(error.responseData == Data())
        #expect(error.underlyingError == nil)
        #expect((error as NSError).code == NSURLErrorBadServerResponse)
    }

    @Test func aStatusErrorWrapsAContentTypeError() throws {
        let error = try larkspurError {
            try ResponseValidation(acceptableContentTypes: .json).validate(httpResponse(500, "text/html"), data: body)
        }
        #expect(error.code == .unacceptableStatusCode)
        #expect((error.underlyingError as? LarkspurError)?.code == .unacceptableContentType)
        #expect(error.contains(.unacceptableContentType))
    }

    @Test func whatIsNotHTTPIsNotChecked() throws {
        let url = try #require(URL(string: "file:///x.html"))
        let response = URLResponse(url: url, mimeType: "text/html", expectedContentLength: 7, textEncodingName: nil)
        let strict = ResponseValidation(acceptableStatusCodes: [], acceptableContentTypes: [])
        try strict.validate(response, data: body)
        try strict.validate(nil, data: body)
    }

    @Test func whereNoTypeIsAcceptableTheErrorSaysSo() throws {
        let error = try larkspurError {
            try ResponseValidation(acceptableContentTypes: []).validate(httpResponse(200, "text/html"), data: body)
        }
        #expect(error.message.hasSuffix("text/html; accepted: none"))
    }

    @Test func aStatusErrorEndsInTheServersWords() throws {
        let problem = Data(#"{"title": "Invalid", "detail": "The name is too long."}"#)
        let error = try larkspurError {
            try ResponseValidation().validate(httpResponse(422, "application/problem+json"), data: problem)
        }
        #expect(error.message == "Request failed: Unprocessable Entity (422): The name is too long")
    }

    @Test func nilAcceptsEverything() throws {
        try ResponseValidation.anything.validate(httpResponse(599, "what/ever"), data: body)
    }

    @Test func aServersWildTypeIsCutInTheMessage() throws {
        let type = String(repeating: "x", count: 10_000) + "\u{1B}[31m"
        let error = try larkspurError {
            try ResponseValidation(acceptableContentTypes: .json).validate(httpResponse(200, type), data: body)
        }
        #expect(error.message.count < 300)
        #expect("a\u{1B}[31m\nb".excerpt == "a [31m b" && "a\u{9B}31m\u{202E}b".excerpt == "a 31m b")
    }

    @Test func aChangedCopyLeavesTheOriginalAlone() {
        let original = DataResponseSerializer()
        var copy = original
        #expect(copy.validation == original.validation)
        copy.acceptableStatusCodes = [404]
        copy.acceptableContentTypes = ["text/plain"]
        #expect(copy.validation.acceptableStatusCodes == [404])
        #expect(copy.validation.acceptableContentTypes == ["text/plain"])
        #expect(original.acceptableStatusCodes == .successful)
        #expect(original.acceptableContentTypes == nil)
    }

    @Test func theDataSerializerReturnsTheContentAsItIs() throws {
        #expect(DataResponseSerializer().serialize(body, response: nil) == body)
    }
}
