#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

/// A class that answers for the host "stub.test" as the path says, as the mocks of many programs do.
final class StubProtocol: URLProtocol {
    static let stops = Recorder<String>()
    static let gates = Mutex<[String: LoopbackServer.Gate]>([:])

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "stub.test" }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    private var path: String { request.url?.path ?? "" }

    /// The URL of redirects out of the protocol, and of its requests with sessions of their own.
    private var upstream: String { request.value(forHTTPHeaderField: "X-Upstream") ?? "" }

    private func respond(_ status: Int = 200) {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: [:])
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    }

    private func answer(_ text: String) {
        respond()
        client?.urlProtocol(self, didLoad: Data(text.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    private func redirect(to text: String) {
        guard let url = request.url, let next = URL(string: text),
            let response = HTTPURLResponse(
                url: url,
                statusCode: 302,
                httpVersion: nil,
                headerFields: ["Location": text]
            )
        else { return }
        client?.urlProtocol(self, wasRedirectedTo: URLRequest(url: next), redirectResponse: response)
    }

    override func startLoading() {
        switch path {
        case "/plain": answer("stubbed")
        case "/redirect": redirect(to: "http://stub.test/plain")
        case "/redirect-and-fail":
            redirect(to: "http://stub.test/plain")
            client?.urlProtocol(self, didFailWithError: CocoaError(.userCancelled))
        case "/redirect-out": redirect(to: upstream)
        case "/redirect-with-fields":
            var request = request
            guard let url = request.url, let next = URL(string: upstream),
                let response = HTTPURLResponse(url: url, statusCode: 307, httpVersion: nil, headerFields: nil)
            else { return }
            request.url = next
            client?.urlProtocol(self, wasRedirectedTo: request, redirectResponse: response)
        case "/echo": echo()
        case "/endless-redirect": redirect(to: "http://stub.test/endless-redirect")
        case "/cancel": task?.cancel()
        case "/silent": client?.urlProtocolDidFinishLoading(self)
        case "/twice":
            answer("once")
            answer("twice")
            client?.urlProtocol(self, didFailWithError: URLError(.badServerResponse))
        case "/late":
            task?.cancel()
            let stub = Transferring(self)
            Thread.detachNewThread {
                Self.gates.withLock { $0["/late"] }?.wait(timeout: .seconds(170))
                stub.value.answer("late")
            }
        case "/sleep":
            respond()
            Self.gates.withLock { $0["/sleep"] }?.wait(timeout: .seconds(170))
            client?.urlProtocolDidFinishLoading(self)
        case "/proxy": forward()
        case "/challenge":
            let space = URLProtectionSpace(
                host: "stub.test",
                port: 80,
                protocol: "http",
                realm: "realm",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic
            )
            let challenge = URLAuthenticationChallenge(
                protectionSpace: space,
                proposedCredential: nil,
                previousFailureCount: 0,
                failureResponse: nil,
                error: nil,
                sender: Sender(answer)
            )
            client?.urlProtocol(self, didReceive: challenge)
        default: client?.urlProtocol(self, didFailWithError: URLError(.fileDoesNotExist))
        }
    }

    /// Answers with the decision about a challenge.
    private final class Sender: NSObject, URLAuthenticationChallengeSender, @unchecked Sendable {
        // Safe: the engine calls it on the queue of the class.
        private let answer: (String) -> Void

        init(_ answer: @escaping (String) -> Void) { self.answer = answer }

        func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) { answer("used") }
        func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { answer("continued") }
        func cancel(_ challenge: URLAuthenticationChallenge) { answer("cancelled") }
        func performDefaultHandling(for challenge: URLAuthenticationChallenge) { answer("default") }
        func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { answer("rejected") }
    }

    /// Answers with the request's own and additional fields, and its content.
    private func echo() {
        var content = Data()
        if let stream = request.httpBodyStream {
            stream.open()
            var buffer = [UInt8](repeating: 0, count: 1024)
            while case let count = stream.read(&buffer, maxLength: buffer.count), count > 0 {
                content += buffer[..<count]
            }
        }
        let fields = ["X-Own", "X-Additional", "Authorization"].map { request.value(forHTTPHeaderField: $0) ?? "-" }
        let ownBody = request.httpBody.map { String(decoding: $0, as: UTF8.self) } ?? "-"
        answer("\(fields.joined(separator: " ")) \(ownBody) \(String(decoding: content, as: UTF8.self))")
    }

    /// The request with a session of its own, as proxies and loggers send it.
    private func forward() {
        guard let url = URL(string: upstream) else { return }
        let session = CurlURLSession(configuration: .testing)
        let stub = Transferring(self)
        session.dataTask(with: url) { data, response, error in
            let stub = stub.value
            if let response { stub.client?.urlProtocol(stub, didReceive: response, cacheStoragePolicy: .notAllowed) }
            if let data { stub.client?.urlProtocol(stub, didLoad: data) }
            if let error {
                stub.client?.urlProtocol(stub, didFailWithError: error)
            } else {
                stub.client?.urlProtocolDidFinishLoading(stub)
            }
        }.resume()
        session.finishTasksAndInvalidate()
    }

    override func stopLoading() { Self.stops.record(path) }
}
#endif
