import Testing

@testable import Larkspur

@Suite("LarkspurError")
struct LarkspurErrorTests {
    @Test(
        "A transport's error is named by its code, or by libcurl's sentence if the code is generic",
        arguments: [
            (NSURLErrorCancelled, "", .cancelled), (NSURLErrorTimedOut, "", .timedOut),
            (NSURLErrorCannotFindHost, "", .cannotFindHost),
            (NSURLErrorCannotConnectToHost, "", .cannotConnectToHost),
            (NSURLErrorNetworkConnectionLost, "", .connectionLost),
            (NSURLErrorHTTPTooManyRedirects, "", .tooManyRedirects), (NSURLErrorUnsupportedURL, "", .unsupportedURL),
            (NSURLErrorUnsupportedURL, "Received HTTP/0.9 when not allowed", .malformedResponse),
            (NSURLErrorBadURL, "", .invalidURL), (NSURLErrorFileDoesNotExist, "", .fileUnreadable),
            (URLError.Code.serverCertificateUntrusted.rawValue, "", .certificateUntrusted),
            (URLError.Code.serverCertificateHasBadDate.rawValue, "", .certificateExpired),
            (URLError.Code.serverCertificateNotYetValid.rawValue, "", .certificateNotYetValid),
            (URLError.Code.serverCertificateHasUnknownRoot.rawValue, "", .certificateUnknownRoot),
            (URLError.Code.clientCertificateRequired.rawValue, "", .clientCertificateRequired),
            (URLError.Code.clientCertificateRejected.rawValue, "", .clientCertificateRejected),
            (URLError.Code.appTransportSecurityRequiresSecureConnection.rawValue, "", .insecureRequest),
            (URLError.Code.secureConnectionFailed.rawValue, "", .secureConnectionFailed),
            (NSURLErrorBadServerResponse, "Empty reply from server", .connectionLost),
            (NSURLErrorBadServerResponse, "", .malformedResponse),
            (NSURLErrorCannotDecodeRawData, "", .contentDecodingFailed),
            (NSURLErrorUnknown, "SSL certificate problem: certificate has expired", .certificateExpired),
            (NSURLErrorUnknown, "SSL certificate problem: self-signed certificate", .certificateUnknownRoot),
            (
                NSURLErrorUnknown, "SSL: no alternative certificate subject name matches target host name 'a'",
                .certificateHostMismatch
            ),
            (NSURLErrorUnknown, "SSL connect error", .secureConnectionFailed),
            (NSURLErrorUnknown, "transfer closed with 12 bytes remaining to read", .connectionLost),
            (NSURLErrorUnknown, "end of response with 12 bytes missing", .connectionLost),
            (NSURLErrorUnknown, "Recv failure: Connection reset by peer", .connectionLost),
            (NSURLErrorUnknown, "Failed writing header", .malformedResponse),
            // The same of libcurl 8: FoundationNetworking's parser has refused the header.
            (
                NSURLErrorUnknown, "Failure writing output to destination, passed 14 returned 0",
                .malformedResponse
            ),
            (NSURLErrorUnknown, "Illegal or missing hexadecimal sequence in chunked-encoding", .malformedResponse),
            (
                NSURLErrorUnknown, "Error while processing content unencoding: incorrect header check",
                .contentDecodingFailed
            ),
            (NSURLErrorUnknown, "something new", .transportFailed),
        ] as [(Int, String, LarkspurError.Code)]
    )
    func transportError(_ row: (number: Int, text: String, code: LarkspurError.Code)) {
        let transportError = NSError(
            domain: NSURLErrorDomain,
            code: row.number,
            userInfo: [NSLocalizedDescriptionKey: row.text]
        )

        let error = LarkspurError(transportError: transportError)

        #expect(error.code == row.code)
        #expect((error.underlyingError as? NSError)?.code == row.number)
        #expect(error.message.hasSuffix(".") && error.message.count > 10)
    }

    @Test("An error of another domain becomes the underlying error")
    func foreignError() {
        struct Foreign: Error {}

        let error = LarkspurError(transportError: Foreign())

        #expect(error.code == .transportFailed)
        #expect(error.underlyingError is Foreign)
    }

    @Test("An error bridges to an NSError with AFNetworking's numbers and user information")
    func bridging() throws {
        let url = try #require(URL(string: "https://example.org/a"))
        let response = HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: nil)
        let inner = LarkspurError(.unacceptableContentType, "inner")
        let error = LarkspurError(
            .unacceptableStatusCode,
            "outer",
            underlyingError: inner,
            response: response,
            responseData: Data("x".utf8)
        )

        let bridged = error as NSError

        #expect(bridged.domain == LarkspurError.errorDomain)
        #expect(bridged.code == -1011 && (inner as NSError).code == -1016)
        #expect(bridged.localizedDescription == "outer")
        #expect(bridged.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
        #expect(bridged.userInfo[LarkspurError.responseDataUserInfoKey] as? Data == Data("x".utf8))
        #expect(bridged.userInfo[LarkspurError.responseUserInfoKey] is URLResponse)
        #expect((bridged.userInfo[NSUnderlyingErrorKey] as? LarkspurError)?.code == .unacceptableContentType)
        #expect(error.contains(.unacceptableContentType) && error.contains(.unacceptableStatusCode))
        #expect(!error.contains(.timedOut))
        #expect(error.statusCode == 404 && error.label == "unacceptable-status-code")
    }

    @Test("An error that was bridged to an NSError does not contain the URL's password")
    func bridgingWithoutPassword() throws {
        let url = try #require(URL(string: "https://ada:hunter2@example.org/a?b"))
        let error = LarkspurError(.timedOut, "late", request: URLRequest(url: url)) as NSError
        let failing = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        #expect(failing?.absoluteString == "https://redacted:redacted@example.org/a?b")
        #expect(!"\(error) \(error.userInfo)".contains("hunter2"))
    }
}
