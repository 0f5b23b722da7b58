#if canImport(FoundationNetworking)
import CLibcurl
import Foundation
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("The use of HTTP/3")
struct HTTP3UseTests {
    @Test(
        "HTTP/3 requires libcurl's support, HTTP/2 as a fallback, and TLS 1.3",
        arguments: [HTTP3Use.automatic, .preferred]
    )
    func prerequisites(_ use: HTTP3Use) {
        var tls = TLSConfiguration()
        #expect(use.effective(hasHTTP3: true, offersHTTP2: true, tls: settings(tls)) == use)
        #expect(use.effective(hasHTTP3: false, offersHTTP2: true, tls: settings(tls)) == .never)
        #expect(use.effective(hasHTTP3: true, offersHTTP2: false, tls: settings(tls)) == .never)
        tls.maximumVersion = .tls13
        #expect(use.effective(hasHTTP3: true, offersHTTP2: true, tls: settings(tls)) == use)
        tls.maximumVersion = .tls12
        #expect(use.effective(hasHTTP3: true, offersHTTP2: true, tls: settings(tls)) == .never)
    }

    private func settings(_ tls: TLSConfiguration, trustUnavailability: String? = nil) -> TLSSettings {
        TLSSettings(tls, abilities: TLSAbilities(trustUnavailability: trustUnavailability, library: "OpenSSL/3.0.19"))
    }

    @Test("A session that pins keys or certificates uses HTTP/3 only if the engine checks them within the handshake")
    func pins() throws {
        let pin = try PublicKeyPin(sha256: Data(count: 32).base64EncodedString())
        let changes: [(inout TLSConfiguration) throws -> Void] = [
            { $0.pins = [try HostPins("localhost", pins: [pin])] },
            { $0.pinsForAllHosts = [pin] },
            { $0.anchorsForAllHosts = [] },
        ]
        for change in changes {
            var tls = TLSConfiguration()
            try change(&tls)
            for (reason, expectation) in [(nil, HTTP3Use.preferred), ("libcurl uses GnuTLS", .never)] {
                let settings = settings(tls, trustUnavailability: reason)
                #expect(HTTP3Use.preferred.effective(hasHTTP3: true, offersHTTP2: true, tls: settings) == expectation)
            }
        }
    }

    @Test("HTTP/3 is off by default, and an option of the session")
    func option() {
        var options = CurlURLSession.Options()
        options.http2 = .always
        #expect(SessionSettings(.ephemeral, options: options, hasHTTP3: true).http3 == .never)
        options.http3 = .preferred
        #expect(SessionSettings(.ephemeral, options: options, hasHTTP3: true).http3 == .preferred)
        #expect(SessionSettings(.ephemeral, options: options, hasHTTP3: false).http3 == .never)
        let session = CurlURLSession(configuration: .ephemeral, options: options)
        defer { session.invalidateAndCancel() }
        #expect(session.offersHTTP3 == CurlURLSession.supportsHTTP3)
    }

    @Test("The offered HTTP versions have the numbers of libcurl's option")
    func numbers() {
        #expect(OfferedVersions.http1.number == 2)
        #expect(OfferedVersions.http2.number == 4)
        #expect(OfferedVersions.http3.number == 30)
    }

    @Test("libcurl has HTTP/3 if it reports the feature")
    func feature() {
        let isBuiltIn = libcurl_features() & (1 << 25) != 0
        #expect(CurlURLSession.supportsHTTP3 == (isBuiltIn && libcurl_version_number() >= 0x075800))
    }

    @Test(
        "The HTTP/3 option is no error for http URLs and without HTTP/3 in libcurl",
        arguments: [HTTP3Use.automatic, .preferred]
    )
    func plain(_ use: HTTP3Use) async throws {
        let server = try LoopbackServer()
        let field = "h3=%22:\(server.port)%22"
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/response-headers?Alt-Svc=\(field)"))
        var options = CurlURLSession.Options()
        options.http2 = .always
        options.http3 = use
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.finishTasksAndInvalidate() }
        for _ in 0..<2 {
            let (_, response) = try await session.data(from: url)
            let alternatives = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Alt-Svc")
            #expect(alternatives == "h3=\":\(server.port)\"")
        }
    }
}
#endif
