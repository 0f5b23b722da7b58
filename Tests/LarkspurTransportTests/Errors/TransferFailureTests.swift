#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

@Suite struct TransferFailureTests {
    /// Every code of libcurl 7.68 to 8, without an errno, a verification or a message.
    static let plainCodes: [(URLError.Code, [Int32])] = [
        (.unsupportedURL, [1]),
        (.badURL, [3, 62]),
        (.cannotFindHost, [5, 6, 15]),
        (.cannotConnectToHost, [7, 45, 89, 96, 97]),
        (.cannotParseResponse, [8, 27, 100]),
        (
            .badServerResponse,
            [10, 11, 13, 14, 17, 19, 21, 22, 25, 30, 31, 33, 36, 39, 71, 72, 74, 84, 85, 86, 87]
        ),
        (.timedOut, [12, 28]),
        (.networkConnectionLost, [16, 18, 52, 55, 56, 92, 95]),
        (.cannotWriteToFile, [23, 70]),
        (.cannotOpenFile, [26, 37]),
        (.noPermissionsToReadFile, [9, 69]),
        (.secureConnectionFailed, [35, 53, 54, 59, 64, 66, 77, 79, 80, 82, 101]),
        (.userAuthenticationRequired, [38, 67, 94]),
        (.cancelled, [42]),
        (.httpTooManyRedirects, [47]),
        (.serverCertificateUntrusted, [51, 60, 83, 90, 91]),
        (.clientCertificateRejected, [58]),
        (.cannotDecodeRawData, [61]),
        (.dataLengthExceedsMaximum, [63]),
        (.requestBodyStreamExhausted, [65]),
        (.fileDoesNotExist, [68, 78]),
        (.cannotCreateFile, [73]),
        (.clientCertificateRequired, [98]),
        (
            .unknown,
            [
                0, 2, 4, 20, 24, 29, 32, 34, 40, 41, 43, 44, 46, 48, 49, 50, 57, 75, 76, 81, 88, 93, 99, 102,
                9999, -1,
            ]
        ),
    ]

    @Test("Each of libcurl's codes has a code of URLSession", arguments: plainCodes)
    func plain(expected: URLError.Code, curlCodes: [Int32]) {
        for curlCode in curlCodes {
            #expect(TransferFailure(curlCode: curlCode).error(url: nil).code == expected, "\(curlCode)")
        }
    }

    @Test("The table has every code from 0 to 101 once")
    func isComplete() {
        let codes = Self.plainCodes.flatMap(\.1).filter { (0...101).contains($0) }
        #expect(codes.sorted() == Array(0...101))
    }

    @Test(
        "The errno of a system call determines a more specific code",
        arguments: [
            (7, ECONNREFUSED, URLError.Code.cannotConnectToHost), (7, ETIMEDOUT, .timedOut),
            (7, ENETUNREACH, .notConnectedToInternet), (7, ENETDOWN, .notConnectedToInternet),
            (7, EHOSTUNREACH, .cannotConnectToHost), (97, ETIMEDOUT, .timedOut),
            (96, ENETUNREACH, .notConnectedToInternet), (35, ETIMEDOUT, .timedOut),
            (35, ECONNRESET, .secureConnectionFailed), (55, EPIPE, .networkConnectionLost),
            (56, ECONNRESET, .networkConnectionLost), (56, ETIMEDOUT, .timedOut), (26, ENOENT, .fileDoesNotExist),
            (26, EACCES, .noPermissionsToReadFile), (37, EISDIR, .fileIsDirectory),
            // libcurl keeps the errno of an attempt that another one made good.
            (52, ETIMEDOUT, .networkConnectionLost), (18, ENETUNREACH, .networkConnectionLost),
        ] as [(Int32, Int32, URLError.Code)]
    )
    func systemErrors(curlCode: Int32, osError: Int32, expected: URLError.Code) {
        #expect(TransferFailure(curlCode: curlCode, osError: osError).urlErrorCode == expected)
    }

    @Test(
        "The result of the verification determines a more specific code for a certificate",
        arguments: [
            (2, URLError.Code.serverCertificateHasUnknownRoot), (9, .serverCertificateNotYetValid),
            (10, .serverCertificateHasBadDate), (13, .serverCertificateHasBadDate),
            (14, .serverCertificateHasBadDate), (18, .serverCertificateHasUnknownRoot),
            (19, .serverCertificateHasUnknownRoot), (20, .serverCertificateHasUnknownRoot),
            (21, .serverCertificateHasUnknownRoot), (23, .serverCertificateUntrusted),
            (27, .serverCertificateHasUnknownRoot), (62, .serverCertificateUntrusted),
            (-1, .serverCertificateUntrusted),
        ]
    )
    func certificates(verifyResult: Int, expected: URLError.Code) {
        #expect(TransferFailure(curlCode: 60, verifyResult: verifyResult).urlErrorCode == expected)
        #expect(TransferFailure(curlCode: 51, verifyResult: verifyResult).urlErrorCode == expected)
        #expect(TransferFailure(curlCode: 96, verifyResult: verifyResult).urlErrorCode == expected)
    }

    @Test(
        "libcurl's message determines the code of a result that has several meanings",
        arguments: [
            (1, "Protocol \"gopher\" not supported or disabled in libcurl", URLError.Code.unsupportedURL),
            (1, "Received HTTP/0.9 when not allowed", .cannotParseResponse),
            (1, "Unsupported HTTP version (9.1) in response", .cannotParseResponse),
            (8, "Nul byte in header", .cannotParseResponse),
            (16, "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)", .networkConnectionLost),
            (92, "HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)", .badServerResponse),
            (92, "HTTP/2 stream 1 was not closed cleanly: REFUSED_STREAM (err 7)", .networkConnectionLost),
            (16, "HTTP/2 stream 0 was not closed cleanly: INADEQUATE_SECURITY (err 12)", .secureConnectionFailed),
            (23, "Failure writing output to destination", .cannotWriteToFile),
            (23, "Error while processing content unencoding: invalid code", .cannotDecodeRawData),
            (
                35, "OpenSSL/3.0.17: error:0A00010B:SSL routines::wrong version number",
                .secureConnectionFailed
            ),
            (
                35, "error:0A000412:SSL routines::sslv3 alert bad certificate",
                .clientCertificateRejected
            ),
            (
                56, "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
                .clientCertificateRequired
            ),
            (56, "OpenSSL SSL_read: SSL routines::decryption failed or bad record mac", .secureConnectionFailed),
            (56, "OpenSSL SSL_read: SSL_ERROR_SYSCALL, errno 104", .networkConnectionLost),
            (56, "Malformed encoding found in chunked-encoding", .cannotParseResponse),
            (56, "Too large response headers: 307205 > 307200", .cannotParseResponse),
            (56, "CONNECT tunnel failed, response 407", .userAuthenticationRequired),
            (56, "Received HTTP code 407 from proxy after CONNECT", .userAuthenticationRequired),
            (56, "CONNECT tunnel failed, response 502", .cannotConnectToHost),
            (43, "unable to set private key file: '(memory blob)' type PEM", .clientCertificateRejected),
            (43, "A libcurl function was given a bad argument", .unknown),
            (60, "SSL: no alternative certificate subject name matches target", .serverCertificateUntrusted),
            (60, "SSL certificate problem: certificate has expired", .serverCertificateHasBadDate),
            (60, "SSL certificate problem: certificate is not yet valid", .serverCertificateNotYetValid),
            (60, "SSL certificate problem: self-signed certificate", .serverCertificateHasUnknownRoot),
            (61, "Unrecognized content encoding type. libcurl understands gzip", .cannotDecodeContentData),
            (61, "Error while processing content unencoding: incorrect header check", .cannotDecodeRawData),
        ] as [(Int32, String, URLError.Code)]
    )
    func words(curlCode: Int32, message: String, expected: URLError.Code) {
        #expect(TransferFailure(curlCode: curlCode, message: message).urlErrorCode == expected)
    }

    @Test("A failed verification that libcurl reports as a failed handshake gets the certificate's code")
    func verificationInHandshake() {
        let failure = TransferFailure(
            curlCode: 35,
            verifyResult: 10,
            message: "error:0A000086:SSL routines::certificate verify failed"
        )
        #expect(failure.urlErrorCode == .serverCertificateHasBadDate)
    }

    @Test("A result without a verification does not change the code")
    func noVerification() {
        let name = "SSL: certificate subject name 'other' does not match target host name '127.0.0.1'"
        let expired = "SSL certificate problem: certificate has expired"
        #expect(
            TransferFailure(curlCode: 60, verifyResult: 1, message: name).urlErrorCode == .serverCertificateUntrusted
        )
        #expect(
            TransferFailure(curlCode: 60, verifyResult: 1, message: expired).urlErrorCode
                == .serverCertificateHasBadDate
        )
        #expect(
            TransferFailure(curlCode: 35, verifyResult: 1, message: "alert handshake failure").urlErrorCode
                == .secureConnectionFailed
        )
        #expect(TransferFailure(curlCode: 96, verifyResult: 1).urlErrorCode == .cannotConnectToHost)
    }

    @Test("The server's alert of an expired certificate rejects the client's certificate")
    func alertOfExpiry() {
        var failure = TransferFailure(curlCode: 60, verifyResult: 1, message: "SSL certificate verification failed")
        failure.isTLS = true
        let sentence = "The client's certificate was not accepted (the server reported that it has expired)."
        #expect(failure.error(url: nil).code == .clientCertificateRejected)
        #expect(failure.error(url: nil).localizedDescription == sentence)
        #expect(failure.tlsFailure(for: failure.urlErrorCode, url: nil)?.reason == .clientCertificateRejected)
        // Without verification, what is wrong with the server's certificate is no reason to fail.
        failure.verifyResult = 18
        failure.message = "SSL certificate problem: self-signed certificate"
        #expect(failure.urlErrorCode == .serverCertificateHasUnknownRoot)
        failure.verifiesCertificate = false
        #expect(failure.error(url: nil).localizedDescription == sentence)
    }

    @Test("The result CURLE_OUT_OF_MEMORY means a missing address, full memory or a header that is too large")
    func withoutAddress() {
        func error(_ hasSent: Bool, _ usesDNSOverHTTPS: Bool, _ hasResponse: Bool = false) -> URLError {
            TransferFailure(
                curlCode: 27,
                hasResponse: hasResponse,
                hasSent: hasSent,
                usesDNSOverHTTPS: usesDNSOverHTTPS
            ).error(url: nil)
        }
        #expect(error(false, true).code == .cannotFindHost)
        #expect(error(false, true).localizedDescription.contains("DNS over HTTPS has no address for the host"))
        #expect(error(false, false).code == .resourceUnavailable)
        #expect(error(false, false).localizedDescription.hasPrefix("Memory has run out"))
        for (usesDNSOverHTTPS, hasResponse) in [(true, false), (false, false), (true, true), (false, true)] {
            let error = error(true, usesDNSOverHTTPS, hasResponse)
            #expect(error.code == .cannotParseResponse)
            #expect(error.localizedDescription.contains("header is too large"))
        }
    }

    @Test("A connection that is lost at once is reported as such, without libcurl's message about its address")
    func lostAtOnce() {
        let server = Peer(kind: .server, name: "a.test:80", addresses: [])
        for name in ["getpeername", "getsockname"] {
            let message = "\(name)() failed with errno 107: Transport endpoint is not connected"
            for (code, osError) in [(52, 0), (55, EPIPE), (56, ECONNRESET), (35, ECONNRESET)] as [(Int32, Int32)] {
                let failure = TransferFailure(curlCode: code, osError: osError, message: message, server: server)
                let sentence = failure.error(url: nil).localizedDescription
                #expect(sentence.hasSuffix(" (the peer closed it as soon as it was made)."))
                #expect(!sentence.contains(name))
            }
        }
        let failure = TransferFailure(curlCode: 7, osError: ENOTCONN, message: "Couldn't connect", server: server)
        #expect(
            failure.error(url: nil).localizedDescription
                == "The server a.test:80 closed the connection as soon as it was made."
        )
    }

    @Test("The error has a sentence, the URL under both keys and libcurl's error as the underlying error")
    func userInfo() throws {
        let url = try #require(URL(string: "http://host.invalid/path"))
        let failure = TransferFailure(
            curlCode: 7,
            osError: ECONNREFUSED,
            message: "Failed to connect to host.invalid port 80"
        )

        let error: any Error = failure.error(url: url)

        let sentence = "The host could not be connected to (Failed to connect to host.invalid port 80)."
        #expect(error.localizedDescription == sentence)
        let nsError = error as NSError
        #expect(nsError.domain == NSURLErrorDomain)
        #expect(nsError.code == NSURLErrorCannotConnectToHost)
        #expect(nsError.localizedDescription == sentence)
        #expect(nsError.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
        #expect(nsError.userInfo["NSErrorFailingURLStringKey"] as? String == "http://host.invalid/path")
        #expect((error as? URLError)?.failingURL == url)
        let cause = try #require(nsError.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(cause.domain == CurlError.errorDomain)
        #expect(cause.code == 7)
        #expect(cause.localizedDescription == "Failed to connect to host.invalid port 80")
        let system = try #require(cause.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(system.domain == NSPOSIXErrorDomain)
        #expect(system.code == Int(ECONNREFUSED))
    }

    @Test("libcurl's error can be read from the engine's URLError, and from no other")
    func curlError() {
        let failure = TransferFailure(curlCode: 60, osError: 0, verifyResult: 10, message: "expired")
        let cause = CurlError(code: 60, message: "expired", systemError: 0, verifyResult: 10)
        #expect(failure.error(url: nil).curlError == cause)
        let other = TransferFailure(curlCode: 7, osError: 111).error(url: nil).curlError
        #expect(other == CurlError(code: 7, message: "", systemError: 111, verifyResult: 0))
        #expect(other?.localizedDescription == "libcurl failed with code 7.")
        #expect(URLError(.timedOut).curlError == nil)
    }

    @Test("The sentence says what was lost, and names the server or the proxy")
    func sentences() {
        func sentence(_ failure: TransferFailure) -> String { failure.error(url: nil).localizedDescription }
        #expect(sentence(TransferFailure(curlCode: 52)).contains("before the response began"))
        #expect(sentence(TransferFailure(curlCode: 18, hasResponse: true)).contains("before the response was complete"))
        #expect(sentence(TransferFailure(curlCode: 5)).contains("proxy"))
        #expect(!sentence(TransferFailure(curlCode: 6)).contains("proxy"))
        #expect(!sentence(TransferFailure(curlCode: 6, message: "Could not resolve host: proxy")).contains("The proxy"))
        #expect(sentence(TransferFailure(curlCode: 6, message: "Could not resolve proxy: a")).contains("The proxy"))
        #expect(sentence(TransferFailure(curlCode: 2)) == "The transfer failed (libcurl error 2).")
        #expect(sentence(TransferFailure(curlCode: 2, isTLS: true)) == "The secure transfer failed (libcurl error 2).")
    }

    @Test("Each code has its own sentence")
    func everyCodeHasASentence() {
        let sentences = Self.plainCodes.filter { $0.0 != .unknown }.map { code, _ in
            TransferFailure(curlCode: 0, message: "x").sentence(for: code)
        }
        #expect(Set(sentences).count >= sentences.count - 1)
        #expect(!sentences.contains("The transfer failed (x)."))
    }
}
#endif
