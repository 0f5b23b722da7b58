import Testing

@testable import Larkspur

@Suite("Server trust errors")
struct ServerTrustErrorTests {
    @Test("The error has the failing URL if the transport's error has one", arguments: ["https://example.com/a", nil])
    func failingURL(_ text: String?) {
        let url = text.flatMap { URL(string: $0) }
        let userInfo: [String: Any] = url.map { [NSURLErrorFailingURLErrorKey: $0] } ?? [:]
        let cause = NSError(
            domain: NSURLErrorDomain,
            code: URLError.Code.serverCertificateUntrusted.rawValue,
            userInfo: userInfo
        )

        let error = LarkspurError(transportError: cause)
        let bridged = error as NSError

        #expect(error.code == .certificateUntrusted)
        #expect(error.failingURL == url)
        #expect(bridged.code == NSURLErrorServerCertificateUntrusted)
        #expect(bridged.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
        #expect(bridged.userInfo[NSUnderlyingErrorKey] != nil)
        #expect(!bridged.localizedDescription.isEmpty)
    }

    @Test("Details that are added later do not replace the failing URL")
    func filled() throws {
        let failing = try #require(URL(string: "https://example.com/a"))
        let other = try #require(URL(string: "https://example.com/b"))
        let error = LarkspurError(
            transportError: NSError(
                domain: NSURLErrorDomain,
                code: URLError.Code.serverCertificateUntrusted.rawValue,
                userInfo: [NSURLErrorFailingURLErrorKey: failing]
            )
        )
        #expect(error.filled(request: URLRequest(url: other), response: nil, responseData: nil).failingURL == failing)
    }
}
