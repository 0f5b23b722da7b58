import Testing

@testable import Larkspur

@Suite("The state of a resumable upload")
struct UploadStateTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test(
        "The URL of an upload may be relative, and has no credentials",
        arguments: [
            ("/up/1", "https://a.test/up/1"), ("1?k=v#f", "https://a.test/files/1?k=v"),
            ("https://u:p@b.test:8443/x", "https://b.test:8443/x"), ("//c.test/x", "https://c.test/x"),
            ("/up/a[1]%20b", "https://a.test/up/a%5B1%5D%20b"), ("1?k=%5B|", "https://a.test/files/1?k=%5B%7C"),
        ]
    )
    func resource(location: String, expected: String) throws {
        let base = try url("https://a.test/files/")
        #expect(try UploadState.resource(location, from: base, base: base, nil).absoluteString == expected)
    }

    @Test(
        "The URL of an upload has http or https, and keeps TLS",
        arguments: [
            ("http://a.test/1", LarkspurError.Code.insecureRequest), ("file:///etc/passwd", .resumptionFailed),
            ("ftp://a.test/1", .resumptionFailed), ("https:", .resumptionFailed), ("data:,x", .resumptionFailed),
            ("https://a..b/1", .resumptionFailed),
        ]
    )
    func refusedResource(location: String, code: LarkspurError.Code) throws {
        let base = try url("https://a.test/files/")
        let error = #expect(throws: LarkspurError.self) {
            try UploadState.resource(location, from: base, base: base, nil)
        }
        #expect(error?.code == code)
        // A redirect from http to https in between makes no difference.
        let plain = try url("http://a.test/files/")
        let other = #expect(throws: LarkspurError.self) {
            try UploadState.resource(location, from: base, base: plain, nil)
        }
        #expect(other?.code == code)
    }

    @Test(
        "Numbers are digits, and may have the parameters of a structured field",
        arguments: [
            ("0", 0), (" 12 ", 12), ("12;a=b", 12), ("12;\u{301}", 12), ("999999999999999999", 999_999_999_999_999_999),
            ("", nil),
            ("-1", nil), ("+1", nil), ("1.0", nil), ("0x1", nil), ("9223372036854775808", nil), ("١", nil), (";", nil),
        ] as [(String, Int64?)]
    )
    func numbers(text: String, expected: Int64?) { #expect(UploadState.number(text) == expected) }

    @Test("Limits of another type make the field invalid, and unknown limits are ignored")
    func limits() throws {
        let limits = try #require(UploadLimits("max-size=10, min-append-size=2,max-append-size=5;x, max-age=?1, y"))
        #expect((limits.maximumSize, limits.minimumAppendSize, limits.maximumAppendSize) == (10, 2, 5))
        #expect(UploadLimits("max-size=1.5, max-append-size=5") == nil && UploadLimits("max-size") == nil)
        #expect(UploadLimits("a=\"b\\\", max-size=1\", max-size=7")?.maximumSize == 7)
        #expect(UploadLimits("a=\"\u{301}\", max-size=7,\u{FE0F}b")?.maximumSize == 7)
    }

    @Test("Each state leads to its next step")
    func steps() throws {
        let resource = try url("https://a.test/1")
        var state = UploadState(kind: .tus, length: 10, maximumPartSize: 4)
        #expect(state.step == .create)
        state.continue(at: resource, from: 3)
        #expect(state.step == .locate(resource) && state.confirmed == 3)
        let response = InterceptedResponse(
            request: nil,
            response: HTTPURLResponse(
                url: resource,
                statusCode: 200,
                httpVersion: nil,
                headerFields: ["Upload-Offset": "3"]
            )
        )
        #expect(try state.receive(response, to: state.step, isPassing: false, base: nil) == .proceed)
        #expect(state.step == .append(resource, offset: 3, count: 4, isLast: false))
        state.noteLoss()
        #expect(state.step == .locate(resource))
    }

    /// Returns a response to a step of an upload.
    private func response(_ status: Int, _ fields: [String: String]) throws -> InterceptedResponse {
        let response = HTTPURLResponse(
            url: try url("https://a.test/1"),
            statusCode: status,
            httpVersion: nil,
            headerFields: fields
        )
        return InterceptedResponse(request: nil, response: response)
    }

    @Test(
        "An end that the server reports by the IETF's draft is valid if the server can have all content",
        arguments: [
            // The step: 0 is the creation, otherwise the limit of a part, of which 10 bytes need one or several.
            (0, nil, false), (0, "0", false), (0, "10", false), (0, "4", false),
            (4, nil, false), (4, "4", false), (4, "10", false), (4, "0", false), (4, "x", false),
            (10, nil, true), (10, "10", true), (10, "9", false), (10, "0", false), (10, "11", false), (10, "", false),
            (99, "10;a", true), (99, "4;a", false),
        ] as [(Int64, String?, Bool)],
        [200, 201, 204]
    )
    func announcedEnd(_ end: (limit: Int64, offset: String?, isTrue: Bool), status: Int) throws {
        let resource = try url("https://a.test/1")
        var state = UploadState(kind: .ietf(interopVersion: 8), length: 10, maximumPartSize: max(1, end.limit))
        if end.limit > 0 {
            let created = try response(201, ["Location": "/1", "Upload-Complete": "?0"])
            #expect(try state.receive(created, to: .create, isPassing: false, base: resource) == .proceed)
        }
        var fields = ["Upload-Complete": "?1", "Location": "/1"]
        fields["Upload-Offset"] = end.offset
        let answer = try response(status, fields)
        if end.isTrue {
            #expect(try state.receive(answer, to: state.step, isPassing: false, base: resource) == .finish)
        } else {
            let error = #expect(throws: LarkspurError.self) {
                try state.receive(answer, to: state.step, isPassing: false, base: resource)
            }
            #expect(error?.code == .resumptionFailed)
        }
    }

    @Test("After a final response whose offset is before the end, the server is asked again")
    func unfinishedEnd() throws {
        let resource = try url("https://a.test/1")
        for (offset, expected) in [("9", UploadState.Consequence.stalled), ("10", .finish)] {
            var state = UploadState(kind: .ietf(interopVersion: 8), length: 10, maximumPartSize: nil)
            let created = try response(201, ["Location": "/1"])
            #expect(try state.receive(created, to: .create, isPassing: false, base: resource) == .proceed)
            let answer = try response(200, ["Upload-Offset": offset])
            #expect(try state.receive(answer, to: state.step, isPassing: false, base: resource) == expected)
            if expected == .stalled { #expect(state.step == .locate(resource)) }
        }
    }

    @Test("An error of the resource that gets the content is final, at any offset", arguments: [nil, "0", "4"])
    func announcedError(offset: String?) throws {
        let resource = try url("https://a.test/1")
        var state = UploadState(kind: .ietf(interopVersion: 8), length: 10, maximumPartSize: nil)
        var fields = ["Upload-Complete": "?1"]
        fields["Upload-Offset"] = offset
        let answer = try response(422, fields)
        #expect(try state.receive(answer, to: .create, isPassing: false, base: resource) == .finish)
    }

    @Test("A resumption contains no secrets, and is not decoded with impossible numbers")
    func resumption() throws {
        let resource = try url("https://a.test/1?signature=s3cret")
        let resumption = UploadResumption(url: resource, length: 10, offset: 3, modification: "5.7")
        let encoded = try JSONEncoder().encode(resumption)
        #expect(try JSONDecoder().decode(UploadResumption.self, from: encoded) == resumption)
        var dumped = ""
        dump(resumption, to: &dumped)
        #expect("\(resumption)" == "3 of 10 bytes at https://a.test/1?…" && !dumped.contains("s3cret"))
        for numbers in [#""length": 1, "offset": 2"#, #""length": -1, "offset": -1"#, #""length": 1"#] {
            let text = #"{"url": "https://a.test/1", \#(numbers)}"#
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(UploadResumption.self, from: Data(text.utf8))
            }
        }
    }
}
