import LarkspurTesting
import LarkspurTransport
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite("Coded responses", .timeLimit(.minutes(5)))
struct CodedResponseTests {
    struct Result: Sendable {
        var data: Data?
        var response: HTTPURLResponse?
        var error: URLError?
    }

    let server: LoopbackServer
    let session = CurlURLSession(configuration: .testing)

    init() throws { server = try LoopbackServer() }

    private func serve(_ sample: CodedSample, status: Int = 200) {
        server.route("/coded", .data(sample.coded, status: status).adding("Content-Encoding", sample.field))
    }

    /// The result of a data task, or of a download if there is no data task's, and the task.
    private func perform(_ request: URLRequest) async -> (Result, URLSessionTask?) {
        let made = Mutex<URLSessionTask?>(nil)
        let result = await withCheckedContinuation { continuation in
            let task = session.dataTask(with: request) { data, response, error in
                continuation.resume(
                    returning: Result(data: data, response: response as? HTTPURLResponse, error: error as? URLError)
                )
            }
            made.withLock { $0 = task }
            task.resume()
        }
        return (result, made.withLock { $0 })
    }

    private func perform(_ path: String) async -> Result { await perform(URLRequest(url: server.url(path))).0 }

    @Test("A response is decoded, and its fields are unchanged", arguments: CodedSample.all)
    func decoded(_ sample: CodedSample) async throws {
        serve(sample)

        let (result, task) = await perform(URLRequest(url: server.url("/coded")))

        #expect(result.error == nil)
        #expect(result.data == CodedSample.text)
        #expect(result.response?.value(forHTTPHeaderField: "Content-Encoding") == sample.field)
        #expect(result.response?.value(forHTTPHeaderField: "Content-Length") == "\(sample.coded.count)")
        #expect(task?.countOfBytesExpectedToReceive == NSURLSessionTransferSizeUnknown)
        #expect(task?.countOfBytesReceived == Int64(CodedSample.text.count))
        #expect(task?.transactionMetrics.last?.responseBodyBytes == Int64(sample.coded.count))
        #expect(task?.transactionMetrics.last?.responseBodyBytesDecoded == Int64(CodedSample.text.count))
        #expect(server.requests.first?.headers["Accept-Encoding"] == ContentDecoder.acceptEncoding)
    }

    @Test("A download is decoded into its file", arguments: CodedSample.all)
    func download(_ sample: CodedSample) async throws {
        serve(sample)

        let data = await withCheckedContinuation { continuation in
            session.downloadTask(with: server.url("/coded")) { file, _, _ in
                continuation.resume(returning: file.flatMap { try? Data(contentsOf: $0) })
            }.resume()
        }

        #expect(data == CodedSample.text)
    }

    @Test(
        "Content is decoded with any Accept-Encoding of the request",
        arguments: ["gzip", "br;q=1.0, gzip;q=0.9", "identity", "*"]
    )
    func ownNegotiation(value: String) async throws {
        serve(.gzip)
        var request = URLRequest(url: server.url("/coded"))
        request.setValue(value, forHTTPHeaderField: "Accept-Encoding")

        let (result, task) = await perform(request)

        #expect(result.data == CodedSample.text)
        #expect(result.response?.value(forHTTPHeaderField: "Content-Encoding") == "gzip")
        #expect(task?.countOfBytesExpectedToReceive == NSURLSessionTransferSizeUnknown)
        #expect(server.requests.first?.headers["Accept-Encoding"] == value)
    }

    @Test("Content is decoded with any Accept-Encoding of the session")
    func sessionNegotiation() async throws {
        serve(.gzip)
        let configuration = URLSessionConfiguration.testing {
            $0.httpAdditionalHeaders = ["Accept-Encoding": "br;q=1.0, gzip;q=0.9, deflate;q=0.8"]
        }

        for style in Style.allCases {
            let outcome = try await style.send(URLRequest(url: server.url("/coded")), configuration: configuration)
            #expect(outcome.data == CodedSample.text)
        }
    }

    @Test("A request for a range asks for identity, and a part of coded content is delivered undecoded")
    func range() async throws {
        serve(.gzip, status: 206)
        var request = URLRequest(url: server.url("/coded"))
        request.setValue("bytes=10-", forHTTPHeaderField: "range")

        let (result, _) = await perform(request)

        #expect(result.data == CodedSample.gzip.coded)
        #expect(server.requests.first?.headers["Accept-Encoding"] == "identity")
    }

    @Test("Content in an unknown coding is delivered undecoded")
    func unknownCoding() async throws {
        server.route("/coded", .text("content").adding("Content-Encoding", "zap"))

        let result = await perform("/coded")

        #expect(result.data == Data("content".utf8))
    }

    @Test("Content with five codings is an error, and is not delivered undecoded", arguments: ["gzip", "br", "zap"])
    func tooManyCodings(_ last: String) async throws {
        let response = LoopbackServer.Response.text("content").adding("Content-Encoding", "gzip, deflate, gzip, br")
        server.route("/coded", response.adding("Content-Encoding", last))

        let result = await perform("/coded")

        #expect(result.error?.code == .cannotDecodeContentData)
        #expect(result.error?.localizedDescription.contains("more than 4 content codings") == true)
        #expect(result.data == nil)
    }

    @Test(
        "A response without content is not decoded",
        arguments: [("HEAD", 200), ("GET", 304), ("GET", 204), ("GET", 200)]
    )
    func noContent(_ method: String, _ status: Int) async throws {
        let sample = method == "HEAD" ? CodedSample.gzip.coded : Data()
        server.route("/coded", .data(sample, status: status).adding("Content-Encoding", "gzip"))
        var request = URLRequest(url: server.url("/coded"))
        request.httpMethod = method

        let (result, _) = await perform(request)

        #expect(result.error == nil)
        #expect(result.data?.isEmpty == true)
        #expect(result.response?.statusCode == status)
    }

    @Test(
        "Content that is truncated or not in its coding fails with a sentence about the coding",
        arguments: [LoopbackServer.Fault.truncatedGzip, .falseGzip]
    )
    func faults(_ fault: LoopbackServer.Fault) async throws {
        let result = await perform(fault.path)

        let error = try #require(result.error)
        #expect(error.code == .cannotDecodeContentData)
        #expect(error.localizedDescription.contains("gzip"))
        #expect(error.failingURL == server.url(fault.path))
        #expect(result.data == nil)
    }

    @Test("Content that expands too much ends its task")
    func bomb() async throws {
        server.route("/coded", .data(CodedSample.zeros(members: 1024)).adding("Content-Encoding", "gzip"))

        let result = await perform("/coded")

        #expect(result.error?.code == .cannotDecodeContentData)
        #expect(result.error?.localizedDescription.contains("100 times") == true)
    }

    @Test("The content of a redirect that is followed does not have to be in its coding")
    func redirect() async throws {
        serve(.gzip)
        let redirect = LoopbackServer.Response.data(Data("moved".utf8), status: 302)
        server.route("/moved", redirect.adding("Location", "/coded").adding("Content-Encoding", "gzip"))

        let result = await perform("/moved")

        #expect(result.error == nil)
        #expect(result.data == CodedSample.text)
    }

    @Test("The content of a redirect that is not followed is decoded", arguments: CodedSample.all)
    func refusedRedirect(_ sample: CodedSample) async throws {
        let redirect = LoopbackServer.Response.data(sample.coded, status: 302)
        server.route("/moved", redirect.adding("Location", "/coded").adding("Content-Encoding", sample.field))
        let refusing = RedirectRefuser()
        let session = CurlURLSession(configuration: .testing, delegate: refusing, delegateQueue: nil)
        defer { session.invalidateAndCancel() }

        session.dataTask(with: server.url("/moved")).resume()
        let (data, error) = await refusing.result

        #expect(error == nil)
        #expect(data == CodedSample.text)
    }

    @Test("Truncated content of a redirect that is not followed is an error")
    func truncatedRedirect() async throws {
        let redirect = LoopbackServer.Response.data(CodedSample.gzip.coded.dropLast(), status: 302)
        server.route("/moved", redirect.adding("Location", "/coded").adding("Content-Encoding", "gzip"))
        let refusing = RedirectRefuser()
        let session = CurlURLSession(configuration: .testing, delegate: refusing, delegateQueue: nil)
        defer { session.invalidateAndCancel() }

        session.dataTask(with: server.url("/moved")).resume()

        #expect(await refusing.result.1?.code == .cannotDecodeContentData)
    }
}
