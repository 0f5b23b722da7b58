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
        ]
    )
    func resource(location: String, expected: String) throws {
        let base = try url("https://a.test/files/")
        #expect(try UploadState.resource(location, from: base, base: base, nil).absoluteString == expected)
    }

    @Test(
        "The URL of an upload is one of http or https, and keeps TLS",
        arguments: [
            ("http://a.test/1", LarkspurError.Code.insecureRequest), ("file:///etc/passwd", .resumptionFailed),
            ("ftp://a.test/1", .resumptionFailed), ("https:", .resumptionFailed), ("data:,x", .resumptionFailed),
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
        "Numbers are digits, with the parameters of a structured field",
        arguments: [
            ("0", 0), (" 12 ", 12), ("12;a=b", 12), ("999999999999999999", 999_999_999_999_999_999), ("", nil),
            ("-1", nil), ("+1", nil), ("1.0", nil), ("0x1", nil), ("9223372036854775808", nil), ("١", nil), (";", nil),
        ] as [(String, Int64?)]
    )
    func numbers(text: String, expected: Int64?) { #expect(UploadState.number(text) == expected) }

    @Test("Limits with another type make the field invalid; unknown ones are ignored")
    func limits() throws {
        let limits = try #require(UploadLimits("max-size=10, min-append-size=2,max-append-size=5;x, max-age=?1, y"))
        #expect((limits.maximumSize, limits.minimumAppendSize, limits.maximumAppendSize) == (10, 2, 5))
        #expect(UploadLimits("max-size=1.5, max-append-size=5") == nil && UploadLimits("max-size") == nil)
        #expect(UploadLimits("a=\"b\\\", max-size=1\", max-size=7")?.maximumSize == 7)
    }

    @Test("The steps follow from the state")
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

    @Test("A resumption holds no secrets, and cannot be decoded with impossible numbers")
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
