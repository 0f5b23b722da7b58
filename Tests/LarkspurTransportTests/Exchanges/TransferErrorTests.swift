#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Codes of failed transfers", .timeLimit(.minutes(5)))
struct TransferErrorTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test(
        "Each fault of the server has its error code",
        arguments: [
            (LoopbackServer.Fault.closeBeforeHeader, URLError.Code.networkConnectionLost),
            (.resetBeforeHeader, .networkConnectionLost), (.resetInBody, .networkConnectionLost),
            (.shortBody, .networkConnectionLost), (.missingLastChunk, .networkConnectionLost),
            (.brokenChunk, .cannotParseResponse), (.garbageStatusLine, .badServerResponse),
            (.conflictingLengths, .badServerResponse), (.falseGzip, .cannotDecodeRawData),
        ]
    )
    func faults(fault: LoopbackServer.Fault, code: URLError.Code) async throws {
        let outcome = try await Style.handler.send(URLRequest(url: server.url(fault.path)))
        // Decoders differ in what they say of content that is not what it says it is.
        let isCoding = [.cannotDecodeRawData, .cannotDecodeContentData].contains(outcome.code)
        #expect(
            outcome.code == code || (fault == .falseGzip && isCoding)
                || (fault == .garbageStatusLine && outcome.code == .cannotParseResponse)
        )
        #expect((outcome.error as? URLError)?.failingURL == server.url(fault.path))
        #expect(outcome.data == nil)
    }

    @Test(
        "Each URL that cannot be requested has its error code",
        arguments: [
            ("gopher://127.0.0.1/", URLError.Code.unsupportedURL), ("http://127.0.0.1:99999/", .badURL),
            ("http://127.0.0.1:1/", .cannotConnectToHost), ("https://127.0.0.1:PORT/", .secureConnectionFailed),
        ]
    )
    func urls(text: String, code: URLError.Code) async throws {
        let text = text.split(separator: "PORT", omittingEmptySubsequences: false).joined(separator: "\(server.port)")
        let url = try #require(URL(string: text))
        let styles = text.hasPrefix("gopher") ? [Style.download] : Style.allCases
        for style in styles { #expect(try await style.send(URLRequest(url: url)).code == code) }
    }

    @Test("An error has the URL without its password")
    func password() async throws {
        let url = try #require(URL(string: "http://ada:secret@127.0.0.1:1/path?q"))
        let error = try #require(try await Style.handler.send(URLRequest(url: url)).error as? URLError)
        #expect(error.failingURL?.absoluteString == "http://ada@127.0.0.1:1/path?q")
        #expect(!"\(error) \(error.userInfo)".contains("secret"))
    }

    @Test("A request without a URL fails as unsupported", arguments: Style.allCases)
    func noURL(style: Style) async throws {
        var request = URLRequest(url: server.url("/"))
        request.url = nil
        #expect(try await style.send(request).code == .unsupportedURL)
    }

    @Test(
        "An upload of a missing file or of something other than a file fails",
        arguments: ["/none/such", "/", "relative"]
    )
    func files(path: String) async throws {
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        let outcomes = Recorder<Outcome>()
        for file in [URL(fileURLWithPath: path), URL(string: "file:rel.txt"), URL(string: "http://h/x")].compactMap(
            \.self
        ) {
            session.uploadTask(with: URLRequest(server.url("/post"), "POST"), fromFile: file) {
                outcomes.record(Outcome(data: $0, response: $1, error: $2))
            }.resume()
        }
        #expect(try await outcomes.wait(for: 3).allSatisfy { $0.error is URLError })
        #expect(server.requests.isEmpty)
    }

    @Test("An upload without content is sent, and so is content with any method")
    func oddContent() async throws {
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        let outcomes = Recorder<Outcome>()
        session.uploadTask(with: URLRequest(server.url("/post"), "POST"), from: nil) {
            outcomes.record(Outcome(data: $0, response: $1, error: $2))
        }.resume()
        #expect(try await outcomes.first().status == 200)
        for method in ["GET", "DELETE", "OPTIONS"] {
            let request = URLRequest(server.url("/anything"), method, body: Data("content".utf8))
            #expect(try await session.outcome(of: request).status == 200)
            #expect(server.requests.last?.body == Data("content".utf8))
        }
        // What comes to HEAD has no content, though it may state a length.
        let head = URLRequest(server.url("/bytes/5"), "HEAD", body: Data("content".utf8))
        #expect(try await session.outcome(of: head).status == 200)
    }

    @Test(
        "Framing fields of the caller's request are ignored",
        arguments: [
            ["Transfer-Encoding": "chunked"], ["Content-Length": "100000"], ["Content-Length": "1"],
            ["Content-Length": "x"],
        ]
    )
    func framing(headers: [String: String]) async throws {
        for body in [nil, Data("12345".utf8)] {
            let request = URLRequest(server.url("/post"), "POST", body: body, headers: headers)
            #expect(try await Style.handler.send(request).status == 200)
            #expect(server.requests.last?.body == body ?? Data())
        }
    }
}
#endif
