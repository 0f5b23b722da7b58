#if canImport(FoundationNetworking)
import Foundation
import TestSupport
import Testing

@testable import LarkspurCommand

@Suite("larkspur doctor", .timeLimit(.minutes(5)))
struct DoctorTests {
    private static let engine = Examination.Engine(
        text: "libcurl      8.14.1",
        unavailabilityReason: nil,
        tlsLibrary: "OpenSSL/3.0.19",
        authorities: "/etc/ssl/certs/ca-certificates.crt"
    )
    private static let routed = [
        AddressFamily(name: "IPv4", state: .routed), AddressFamily(name: "IPv6", state: .local),
    ]

    private func examine(
        _ environment: [String: String] = [:],
        engine: Examination.Engine = engine,
        families: [AddressFamily] = routed,
        isWritable: Bool = true
    ) -> Examination {
        Examination(engine, environment: environment, families: families, isWritable: { _ in isWritable })
    }

    @Test("Without environment variables, the report has no log of secrets and no proxy")
    func plain() {
        #expect(
            examine().text == """
                libcurl      8.14.1
                variable     SSLKEYLOGFILE is not set: no secrets of TLS are logged
                proxy        http: none
                proxy        https: none
                yes          IPv4
                no           IPv6: only this machine can be reached, there is no route

                """
        )
        #expect(examine().problems.isEmpty)
    }

    @Test("If libcurl, TLS, authorities or addresses are missing, the last line names the problem")
    func problems() {
        var engine = Self.engine
        engine.authorities = nil
        #expect(examine(engine: engine).problems.count == 1)
        #expect(examine(engine: engine).text.hasSuffix("impossible; install\n             ca-certificates.\n"))
        engine.tlsLibrary = nil
        #expect(examine(engine: engine).problems == ["This libcurl has no TLS, so https requests are impossible."])
        engine.unavailabilityReason = "libcurl is not installed."
        #expect(examine(engine: engine).problems == ["libcurl is not installed."])
        #expect(examine(engine: engine).text.hasSuffix("\nproblem      libcurl is not installed.\n"))
        let none = ["IPv4", "IPv6"].map { AddressFamily(name: $0, state: .unsupported) }
        #expect(examine(families: none).problems.count == 1)
        #expect(examine(families: none).lines.contains("no           IPv4: the system does not have it"))
        #expect(examine(families: Array(none.prefix(1)) + Self.routed).problems.isEmpty)
    }

    @Test("The report names the file of SSLKEYLOGFILE, and whether it can be written")
    func keyLog() {
        let logged = examine(["SSLKEYLOGFILE": "/tmp/k\u{1B}[31m"]).text
        #expect(logged.contains("SSLKEYLOGFILE: libcurl writes the secrets of all TLS connections to /tmp/k?[31m\n"))
        let unwritable = examine(["SSLKEYLOGFILE": "/k"], isWritable: false).text
        #expect(unwritable.contains("SSLKEYLOGFILE: /k cannot be written, so no secrets of TLS are logged\n"))
    }

    @Test("The report has the engine's proxies, without their credentials")
    func proxies() {
        let environment = [
            "https_proxy": "http://ada:sesame@proxy.test:3128", "HTTPS_PROXY": "not a proxy",
            "ALL_PROXY": "socks5h://eve:hidden@[::1]", "no_proxy": "localhost,.test", "HTTP_PROXY": "http://evil.test",
        ]

        let examination = examine(environment)

        #expect(examination.lines.contains("proxy        http: socks5://[::1]:1080 (ALL_PROXY)"))
        #expect(examination.lines.contains("proxy        https: http://proxy.test:3128 (https_proxy)"))
        #expect(examination.lines.contains("proxy        exceptions: localhost,.test (no_proxy)"))
        #expect(examination.lines.contains("proxy        HTTP_PROXY is ignored; write http_proxy"))
        #expect(["ada", "sesame", "eve", "hidden", "evil"].allSatisfy { !examination.text.contains($0) })
        #expect(examination.problems.isEmpty)
        // An empty variable means no proxy, and the general one is not read.
        #expect(examine(["http_proxy": "", "all_proxy": "p.test"]).lines.contains("proxy        http: none"))
        let faulty = examine(["https_proxy": "ftp://ada:sesame@proxy.test"])
        #expect(faulty.problems == ["The variable https_proxy makes https requests impossible."])
        #expect(!faulty.text.contains("sesame"))
    }

    @Test("Long lines continue in their column")
    func wrapped() {
        var engine = Self.engine
        let long = "no           HTTP/2: " + String(repeating: "not offered, ", count: 30) + "by default"
        engine.text += "\n\(long)"
        let text = examine(engine: engine).text
        let lines = text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 100 } && lines.count > 9)
        #expect(lines[2].prefix { $0 == " " }.count == 13)
        #expect(text.replacing("\n             ", with: " ").contains(long))
    }

    @Test("The program prints the report, and exits with failure if requests are impossible")
    func program() async throws {
        let folder = TemporaryFolder()
        let proxy = ["http_proxy": "http://ada:sesame@proxy.test:3128"]
        let healthy = try await CommandRun.run(["doctor"], in: folder.url, environment: proxy)
        #expect(healthy.status == (healthy.text.contains("\nproblem ") ? 1 : 0), "\(healthy.text)")
        #expect(healthy.text.contains("\nproxy        http: http://proxy.test:3128 (http_proxy)\n"))
        #expect(!healthy.text.contains("sesame"))
        for name in ["file         /", "component    nghttp2 ", "authorities  ", "variable     SSLKEYLOGFILE"] {
            #expect(healthy.text.contains("\n\(name)"))
        }
        let named = ["LARKSPUR_LIBCURL": "/missing/libcurl.so.4"]
        let ill = try await CommandRun.run(["doctor"], in: folder.url, environment: named)
        #expect(ill.status == 1)
        #expect(ill.text.contains("\nvariable     LARKSPUR_LIBCURL names the libcurl: /missing/libcurl.so.4\n"))
        #expect(ill.text.contains("\nproblem      The libcurl in /missing/libcurl.so.4 cannot be loaded: "))
    }
}
#endif
