#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Multipart requests", .timeLimit(.minutes(5)))
struct MultipartRequestTests {
    let folder = TemporaryFolder()
    let url: URL

    init() throws { url = try #require(URL(string: "http://example.com/form")) }

    private func body(of request: URLRequest) throws -> String {
        let stream = try #require(request.httpBodyStream as? MultipartInputStream)
        return String(decoding: try stream.form.data(), as: UTF8.self)
    }

    /// A body with its boundary replaced by B.
    private func normalized(_ request: URLRequest) throws -> String {
        let stream = try #require(request.httpBodyStream as? MultipartInputStream)
        return try body(of: request).replacing(stream.form.boundary.value, with: "B")
    }

    @Test("A certificate file gets the media type of its extension")
    func certificate() throws {
        let file = try folder.file("root_certificate.cer", Data("certificate".utf8))
        let request = try RequestBuilder().makeMultipartRequest(url: url) {
            try $0.append(file: file, name: "test")
        }
        #expect(
            try normalized(request) == """
                --B\r
                Content-Disposition: form-data; name="test"; filename="root_certificate.cer"\r
                Content-Type: application/x-x509-ca-cert\r
                \r
                certificate\r
                --B--\r

                """
        )
    }

    @Test("The request has the form's type and length, whatever the other fields are")
    func fields() throws {
        var serializer = RequestBuilder()
        serializer.headers["Content-Type"] = "text/plain"
        serializer.headers["X-Serializer"] = "1"
        let request = try serializer.makeMultipartRequest(
            .put,
            url: url,
            headers: ["Content-Length": "1", "content-type": "a/b", "X-Call": "2"]
        ) { form in
            form.boundary = try MultipartBoundary("own boundary")
            form.append(text: "Ada", name: "author")
        }
        #expect(request.httpMethod == "PUT")
        #expect(request.httpBody == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "multipart/form-data; boundary=\"own boundary\"")
        let body = try body(of: request)
        #expect(request.value(forHTTPHeaderField: "Content-Length") == "\(body.utf8.count)")
        #expect(request.value(forHTTPHeaderField: "X-Serializer") == "1")
        #expect(request.value(forHTTPHeaderField: "X-Call") == "2")
    }

    @Test("Parameters precede the other parts, with the names of a form body, raw data and empty nulls")
    func parameters() throws {
        let request = try RequestBuilder().makeMultipartRequest(
            url: url,
            parameters: .dictionary([
                "a": ["x", 1, true] as [Any], "d": Data("raw".utf8), "n": NSNull(), "o": ["k": "v & w"],
            ])
        ) { $0.append(text: "last", name: "z") }
        let parts = [
            ("a[]", "x"), ("a[]", "1"), ("a[]", "1"), ("d", "raw"), ("n", ""), ("o[k]", "v & w"), ("z", "last"),
        ]
        let expected = parts.map { name, value in
            "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        #expect(try normalized(request) == expected.joined() + "--B--\r\n")
    }

    @Test("Parameters are text in the serializer's encoding, and a missing character is an error")
    func encoding() throws {
        var serializer = RequestBuilder()
        serializer.stringEncoding = .isoLatin1
        let request = try serializer.makeMultipartRequest(url: url, parameters: .dictionary(["a": "ü"])) { _ in }
        let stream = try #require(request.httpBodyStream as? MultipartInputStream)
        #expect(try stream.form.data().contains(0xFC))
        let error = #expect(throws: LarkspurError.self) {
            try serializer.makeMultipartRequest(url: url, parameters: .dictionary(["a": "名"])) { _ in }
        }
        #expect(error?.code == .parameterEncodingFailed)
    }

    @Test("Serializers of other formats create the same form")
    func otherSerializers() throws {
        for serializer in [JSONRequestSerializer(), PropertyListRequestSerializer()] as [any RequestSerializer] {
            let builder = RequestBuilder(serializer)
            let request = try builder.makeMultipartRequest(url: url, parameters: .dictionary(["a": 1])) { _ in }
            #expect(
                try normalized(request) == "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--B--\r\n"
            )
        }
    }

    @Test("A method without a body and a closure that throws are errors")
    func errors() {
        struct Foreign: Error {}

        for method in [HTTPMethod.get, .head] {
            let error = #expect(throws: LarkspurError.self) {
                try RequestBuilder().makeMultipartRequest(method, url: url) { _ in }
            }
            #expect(error?.code == .invalidMethod)
        }
        let error = #expect(throws: LarkspurError.self) {
            try RequestBuilder().makeMultipartRequest(url: url) { _ in throw Foreign() }
        }
        #expect(error?.code == .parameterEncodingFailed && error?.underlyingError is Foreign)
        let missing = folder.url.appendingPathComponent("missing")
        let own = #expect(throws: LarkspurError.self) {
            try RequestBuilder().makeMultipartRequest(url: url) { try $0.append(file: missing, name: "a") }
        }
        #expect(own?.code == .fileUnreadable)
    }
}

extension RequestBuilder {
    /// Builds a request with a form, as ``SessionManager/makeRequest(_:_:parameters:body:headers:)`` does.
    fileprivate func makeMultipartRequest(
        _ method: HTTPMethod = .post,
        url: URL,
        parameters: Parameters? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        constructing: (inout MultipartFormData) throws -> Void
    ) throws(LarkspurError) -> URLRequest {
        var (request, form) = try makeMultipart(method, url, parameters, headers, constructing)
        request.httpBodyStream = form.makeInputStream()
        return request
    }
}
#endif
