#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Resume data")
struct ResumeDataTests {
    private static let file = "/tmp/Larkspur-1-\(UUID().uuidString).tmp"

    private func make(
        _ validator: DownloadValidator = .entityTag("\"a\""),
        fields: [String: String] = [:],
        file: String = file,
        total: Int64? = 100,
        received: Int64 = 40
    ) throws -> ResumeData {
        ResumeData(
            url: try #require(URL(string: "https://localhost/file?a=b")),
            fields: fields,
            validator: validator,
            file: file,
            total: total,
            received: received,
            date: Date(timeIntervalSince1970: 1_700_000_000)
        )
    }

    @Test(
        "Resume data is decoded as it was encoded",
        arguments: [
            DownloadValidator.entityTag("\"a\""), .lastModified("Sun, 06 Nov 1994 08:49:37 GMT"),
        ],
        [100, nil]
    )
    func roundTrip(_ validator: DownloadValidator, _ total: Int64?) throws {
        let data = try make(validator, fields: ["Accept": "text/plain"], total: total)
        #expect(ResumeData(try #require(data.encoded)) == data)
    }

    /// The texts are what version 1.0.0 writes. They never change: later versions of 1 have to read them.
    @Test("Stored resume data is read")
    func stored() throws {
        let file = "/tmp/Larkspur-1-D2C4B3A1-0000-4000-8000-0123456789AB.tmp"
        let start = #"{"date":1700000000,"entityTag":"\"a\"","fields":{"Accept":"text/plain"},"file":"\#(file)","#
        let end = #""format":"Larkspur resume data","received":40,"total":100,"#
        let text = start + end + #""url":"https://localhost/file?a=b","version":1}"#
        let data = try make(fields: ["Accept": "text/plain"], file: file)
        #expect(ResumeData(Data(text.utf8)) == data)
        #expect(data.encoded.map { String(decoding: $0, as: UTF8.self) } == text)
    }

    @Test("Data that is truncated anywhere, or of another kind, is not resume data")
    func garbage() throws {
        let whole = try #require(try make().encoded)
        for count in 0..<whole.count { #expect(ResumeData(whole.prefix(count)) == nil) }
        #expect(ResumeData(whole + [0x21]) == nil)
        #expect(ResumeData(Data("{}".utf8)) == nil)
        #expect(ResumeData(Data(repeating: UInt8(ascii: "["), count: 100_000)) == nil)
        #expect(ResumeData(Data(count: 2 << 20)) == nil)
    }

    static let changes: [(String, String)] = [
        ("\"Larkspur resume data\"", "\"other\""), ("\"version\":1", "\"version\":2"),
        ("https:", "file:"), ("https:", "ftp:"), ("https://localhost", "http+unix://%2Fsocket"),
        ("\"https://localhost/file?a=b\"", "\"https:///file\""),
        ("\"\\\"a\\\"\"", "\"W/\\\"a\\\"\""), ("\"\\\"a\\\"\"", "\"\\\"a\\r\\nX: y\\\"\""),
        ("\"received\":40", "\"received\":0"), ("\"received\":40", "\"received\":-1"),
        ("\"received\":40", "\"received\":101"), ("\"received\":40", "\"received\":1e99"),
        ("\"total\":100", "\"total\":39"), ("\"/tmp/Larkspur", "\"tmp/Larkspur"),
        ("\"/tmp/Larkspur", "\"/tmp/../Larkspur"), ("\"/tmp/Larkspur", "\"/tmp/Other"), (".tmp\"", ".conf\""),
    ]

    @Test("Resume data with impossible values is rejected", arguments: changes)
    func inconsistent(_ change: (from: String, to: String)) throws {
        let whole = String(decoding: try #require(try make().encoded), as: UTF8.self)
        try #require(whole.contains(change.from))
        #expect(ResumeData(Data(whole.utf8)) != nil)
        #expect(ResumeData(Data(whole.replacing(change.from, with: change.to).utf8)) == nil)
    }

    private func response(_ fields: [String: String], status: Int = 200) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "http://localhost/file"))
        let canonical = Dictionary(uniqueKeysWithValues: fields.map { ($0 == "ETag" ? "Etag" : $0, $1) })
        return try #require(
            EngineResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", fields: canonical)
        )
    }

    private func resumption(
        of request: URLRequest,
        hasBody: Bool = false,
        _ fields: [String: String] = ["ETag": "\"a\""],
        status: Int = 200,
        isDecoded: Bool = false
    ) throws -> ResumeData? {
        let response = try response(fields, status: status)
        return ResumeData(
            request: request,
            hasBody: hasBody,
            response: response,
            entityTag: response.value(forHTTPHeaderField: "ETag"),
            isDecoded: isDecoded,
            file: Self.file
        )
    }

    @Test("Only a complete GET response with a strong validator and without a coding can be resumed")
    func conditions() throws {
        let get = URLRequest(url: try #require(URL(string: "http://localhost/file")))
        #expect(try resumption(of: get) != nil)
        #expect(try resumption(of: get, ["ETag": "\"a\"", "Accept-Ranges": "bytes"]) != nil)
        #expect(try resumption(of: get, ["ETag": "\"a\"", "Accept-Ranges": "none"]) == nil)
        #expect(try resumption(of: get, ["ETag": "\"a\"", "Accept-Ranges": "None"]) == nil)
        #expect(try resumption(of: get, [:]) == nil)
        #expect(try resumption(of: get, status: 206) == nil)
        #expect(try resumption(of: get, status: 404) == nil)
        #expect(try resumption(of: get, isDecoded: true) == nil)
        #expect(try resumption(of: get, hasBody: true) == nil)
        var other = get
        other.httpMethod = "POST"
        #expect(try resumption(of: other) == nil)
        other = get
        other.setValue("bytes=0-9", forHTTPHeaderField: "range")
        #expect(try resumption(of: other) == nil)
        // What could not be read again would leave a file that nobody can remove.
        let socket = URLRequest(url: try #require(URL(string: "http+unix://%2Frun%2Fsocket/file")))
        #expect(try resumption(of: socket) == nil)
    }

    @Test("Credentials and conditional fields are not written to resume data")
    func secrets() throws {
        var request = URLRequest(url: try #require(URL(string: "http://ada:lovelace@localhost/file?a=b")))
        let secrets = [
            "Authorization", "cookie", "Proxy-Authorization", "X-Api-Key", "X-Auth", "X-CSRF-Token", "Client-Secret",
        ]
        for name in secrets { request.setValue("hidden", forHTTPHeaderField: name) }
        for name in ["If-None-Match", "If-Modified-Since"] { request.setValue("hidden", forHTTPHeaderField: name) }
        request.setValue("text/plain", forHTTPHeaderField: "Accept")
        let resumption = try #require(try resumption(of: request))
        #expect(resumption.fields == ["Accept": "text/plain"])
        #expect(resumption.url.absoluteString == "http://localhost/file?a=b")
        let text = String(decoding: try #require(resumption.encoded), as: UTF8.self)
        #expect(!text.contains("hidden") && !text.contains("lovelace"))
    }
}
#endif
