#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

/// A mock that looks at the content of its requests as often as those of tests do: when it is asked, when it is made,
/// and for each of its handlers.
final class LookingProtocol: URLProtocol {
    struct Look: Equatable, Sendable {
        let body: Data?
        let stream: Data?
    }

    static let looks = Mutex<[String: [Look]]>([:])

    private static func look(at request: URLRequest) {
        let stream = request.httpBodyStream.map { stream in
            var content = Data()
            stream.open()
            defer { stream.close() }
            var buffer = [UInt8](repeating: 0, count: 1000)
            while stream.hasBytesAvailable {
                let count = stream.read(&buffer, maxLength: buffer.count)
                guard count > 0 else { break }
                content += buffer[..<count]
            }
            return content
        }
        let key = request.value(forHTTPHeaderField: "X-Key") ?? ""
        looks.withLock { $0[key, default: []].append(Look(body: request.httpBody, stream: stream)) }
    }

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "mock.test" }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        look(at: request)
        return request
    }

    override func startLoading() {
        Self.look(at: request)
        Self.look(at: request)
        guard let url = request.url else { return }
        if let target = request.value(forHTTPHeaderField: "X-Target").flatMap(URL.init(string:)),
            let response = HTTPURLResponse(url: url, statusCode: 307, httpVersion: nil, headerFields: nil)
        {
            var next = request
            next.url = target
            switch url.path {
            case "/as-get":
                next = URLRequest(url: target)
            case "/other": next.httpBody = Data("other".utf8)
            case "/stream": next.httpBodyStream = InputStream(data: Data("stream".utf8))
            default: break
            }
            client?.urlProtocol(self, wasRedirectedTo: next, redirectResponse: response)
            return
        }
        guard let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil) else {
            return
        }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("mocked".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

/// A mock that a program registers for the shared session.
final class RegisteredProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "mock.test" }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url else { return }
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("registered".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

@Suite("Mocks that are URLProtocol classes", .timeLimit(.minutes(5)))
struct MockProtocolTests {
    enum Source: CaseIterable, Sendable { case request, data, file }

    let configuration = URLSessionConfiguration.testing { $0.protocolClasses = [LookingProtocol.self] }
    let key = UUID().uuidString

    private func send(
        _ content: Data,
        from source: Source,
        path: String = "/",
        to target: URL? = nil
    ) async throws -> Outcome {
        var request = URLRequest(url: try #require(URL(string: "http://mock.test\(path)")))
        request.httpMethod = "POST"
        request.setValue(key, forHTTPHeaderField: "X-Key")
        request.setValue(target?.absoluteString, forHTTPHeaderField: "X-Target")
        let session = CurlURLSession(configuration: configuration)
        defer { session.finishTasksAndInvalidate() }
        let file = try TemporaryFile(content)
        let outcomes = Recorder<Outcome>()
        let handler = { @Sendable in outcomes.record(Outcome(data: $0, response: $1, error: $2)) }
        switch source {
        case .request:
            request.httpBody = content
            session.dataTask(with: request, completionHandler: handler).resume()
        case .data: session.uploadTask(with: request, from: content, completionHandler: handler).resume()
        case .file: session.uploadTask(with: request, fromFile: file.url, completionHandler: handler).resume()
        }
        let outcome = try await outcomes.first()
        withExtendedLifetime(file) {}
        return outcome
    }

    private var looks: [LookingProtocol.Look] { LookingProtocol.looks.withLock { $0[key] ?? [] } }

    @Test(
        "A mock can read the content repeatedly: data as the body, a file as a stream",
        arguments: Source.allCases,
        [1, 999, 1000, 1001, 100_000]
    )
    func looking(source: Source, size: Int) async throws {
        let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        // With a field of the configuration the request is another one than the task's.
        for fields in [nil, ["X-Additional": "a"]] {
            LookingProtocol.looks.withLock { $0[key] = [] }
            configuration.httpAdditionalHeaders = fields
            #expect(try await send(content, from: source).text == "mocked")
            let look = LookingProtocol.Look(
                body: source == .file ? nil : content,
                stream: source == .file ? content : nil
            )
            #expect(looks == [look, look, look])
        }
    }

    @Test("The stream of an empty or missing file has no bytes")
    func emptyFile() async throws {
        #expect(try await send(Data(), from: .file).text == "mocked")
        #expect(looks == Array(repeating: .init(body: nil, stream: Data()), count: 3))
        let missing = FileStream(URL(fileURLWithPath: "/missing/\(key)"))
        let remote = FileStream(try #require(URL(string: "http://mock.test/")))
        for stream in [missing, remote] {
            var byte: UInt8 = 0
            #expect(stream.read(&byte, maxLength: 1) <= 0)
            stream.open()
            #expect(stream.read(&byte, maxLength: 1) <= 0)
            _ = stream.streamError
            stream.close()
        }
    }

    @Test("A mock's redirects keep the content, unless they replace it", arguments: Source.allCases)
    func redirects(source: Source) async throws {
        let server = try LoopbackServer()
        for (path, body) in [("/", "content"), ("/other", "other")] {
            #expect(
                try await send(Data("content".utf8), from: source, path: path, to: server.url("/post")).status == 200
            )
            #expect(server.requests.last?.body == Data(body.utf8))
        }
        guard source == .request else { return }
        for (path, method, body) in [("/as-get", "GET", ""), ("/stream", "POST", "stream")] {
            #expect(
                try await send(Data("content".utf8), from: source, path: path, to: server.url("/anything")).error == nil
            )
            #expect(server.requests.last?.method == method && server.requests.last?.body == Data(body.utf8))
        }
    }

    @Test("A class that was registered before the first use of the shared session loads its requests")
    func registered() async throws {
        await #expect(processExitsWith: .success) {
            // FoundationNetworking then registers its own classes first.
            let earlier = [
                CurlURLSession(configuration: .default), URLSession(configuration: .default),
            ]
            _ = URLProtocol.registerClass(RegisteredProtocol.self)
            let url = try #require(URL(string: "http://mock.test/"))
            let (data, _) = try await CurlURLSession.shared.data(from: url)
            #expect(data == Data("registered".utf8))
            withExtendedLifetime(earlier) {}
        }
        let own = ProtocolClasses.own(URLSession.shared.configuration.protocolClasses ?? [])
        #expect(!own.contains { String(reflecting: $0).hasPrefix("FoundationNetworking.") })
        let session = CurlURLSession(configuration: URLSession.shared.configuration)
        let data = try await session.data(from: try #require(URL(string: "data:,x"))).0
        #expect(data == Data("x".utf8))
    }
}
#endif
