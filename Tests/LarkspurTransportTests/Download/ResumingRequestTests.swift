#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("Requests of resumed downloads", .timeLimit(.minutes(5)))
struct ResumingRequestTests {
    let server: LoopbackServer
    let folder: DownloadFolder

    init() throws {
        server = try LoopbackServer()
        folder = try DownloadFolder()
    }

    @Test("A resumed download follows redirects with its range, and handles challenges")
    func redirectAndChallenge() async throws {
        let file = ServedFile(Self.size, [.cut(after: Self.there)])
        server.route("/start", .redirect(to: "/protected"))
        server.route("/protected") { request in
            request.headers["Authorization"] == nil
                ? .status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""]) : file.answer(request)
        }
        let answers = DelegateLog.Answers.with {
            $0.challenge = { _ in
                (.useCredential, URLCredential(user: "ada", password: "lovelace", persistence: .none))
            }
        }
        let broken = try await run(answers) { $0.downloadTask(with: server.url("/start")) }
        let data = try #require((broken.outcome.error as? URLError)?.downloadTaskResumeData)
        server.clearRequests()
        let log = try await run(answers) { $0.downloadTask(withResumeData: data) }
        #expect(log.outcome.data == file.content)
        #expect(server.requests.map(\.path) == ["/start", "/protected", "/protected"])
        #expect(server.requests.allSatisfy { $0.headers["Range"] == "bytes=4000-" })
        #expect(server.requests.allSatisfy { $0.headers["If-Range"] == ServedFile.tag })
    }

    @Test("The caller's request supplies the fields that resume data does not contain")
    func ownRequest() async throws {
        let file = ServedFile(Self.size, [.cut(after: Self.there)])
        server.serve(file)
        var request = URLRequest(url: server.url("/file"))
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        request.setValue("kept", forHTTPHeaderField: "X-Note")
        let broken = try await run { [request] in $0.downloadTask(with: request) }
        let data = try #require((broken.outcome.error as? URLError)?.downloadTaskResumeData)
        let plain = makeSession().downloadTask(withResumeData: data)
        #expect(plain.originalRequest?.allHTTPHeaderFields == ["X-Note": "kept"])
        let log = try await run { [request] in $0.downloadTask(with: request, resumeData: data) }
        #expect(log.outcome.data == file.content)
        #expect(server.requests.last?.headers["Authorization"] == "Bearer secret")
        #expect(server.requests.last?.headers["Range"] == "bytes=4000-")
    }

    @Test("Endless redirects leave the partial file")
    func endlessRedirects() async throws {
        let file = ServedFile(Self.size, [.cut(after: Self.there)])
        server.serve(file)
        let broken = try #require(try await breakOff())
        server.route("/file", .redirect(to: "/file"))
        let error = try await run { $0.downloadTask(withResumeData: broken) }.outcome.error as? URLError
        #expect(error?.code == .httpTooManyRedirects)
        let data = try #require(error?.downloadTaskResumeData)
        server.serve(file)
        #expect(try await run { $0.downloadTask(withResumeData: data) }.outcome.data == file.content)
        #expect(server.requests.last?.headers["Range"] == "bytes=4000-")
    }

    @Test("A server that cannot be reached leaves the partial file")
    func unreachable() async throws {
        let file = ServedFile(Self.size, [.cut(after: Self.there)])
        server.serve(file)
        let data = try #require(try await breakOff())
        server.stop()
        let log = try await run { $0.downloadTask(withResumeData: data) }
        #expect(log.outcome.code == .cannotConnectToHost)
        let again = try #require((log.outcome.error as? URLError)?.downloadTaskResumeData)
        #expect(ResumeData(again)?.received == Int64(Self.there))
        #expect(folder.files.count == 1)
    }

    @Test("A URLProtocol that loads the request gets no range")
    func urlProtocol() async throws {
        let file = ServedFile(Self.size, [.cut(after: Self.there)])
        server.serve(file)
        let data = try #require(try await breakOff())
        let log = DelegateLog()
        let configuration = URLSessionConfiguration.testing {
            $0.protocolClasses = [RangeRefuser.self] + ($0.protocolClasses ?? [])
        }
        let session = makeSession(log, configuration)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await log.outcome(of: session.downloadTask(withResumeData: data)).text == "no range")
    }

    @Test("The async method and the completion handler resume downloads too")
    func otherStyles() async throws {
        for isAsync in [true, false] {
            let file = ServedFile(Self.size, [.cut(after: Self.there)])
            server.serve(file)
            let data = try #require(try await breakOff())
            let session = makeSession()
            defer { session.finishTasksAndInvalidate() }
            if isAsync {
                let (location, _) = try await session.download(resumeFrom: data)
                #expect(try Data(contentsOf: location) == file.content)
                try FileManager.default.removeItem(at: location)
            } else {
                let contents = Recorder<Data?>()
                session.downloadTask(withResumeData: data) { location, _, _ in
                    contents.record(location.flatMap { try? Data(contentsOf: $0) })
                }.resume()
                #expect(try await contents.first() == file.content)
            }
            #expect(server.requests.last?.headers["Range"] == "bytes=4000-")
        }
    }
}

extension ResumingRequestTests: DownloadLab {}

private final class RangeRefuser: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url else { return }
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        let range = request.value(forHTTPHeaderField: "Range")
        client?.urlProtocol(self, didLoad: Data((range ?? "no range").utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
#endif
