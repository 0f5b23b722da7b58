#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("Availability of libcurl", .timeLimit(.minutes(5))) struct AvailabilityTests {
    @Test("The libcurl of this machine can be used, and has a version")
    func available() {
        #expect(CurlURLSession.isAvailable)
        #expect(CurlURLSession.unavailabilityReason == nil)
        #expect(CurlURLSession.libcurlVersion?.contains(".") == true)
    }

    @Test("The report has each ability once, with a reason if it is missing, and the files of the libraries")
    func report() {
        let report = EngineReport()
        let lines = report.description.split(separator: "\n")

        #expect(report.libcurlVersion == CurlURLSession.libcurlVersion && report.tlsLibrary != nil)
        #expect(report.abilities.first { $0.name.hasPrefix("HTTP/3") }?.isAvailable == CurlURLSession.supportsHTTP3)
        #expect(Set(report.abilities.map(\.name)).count == report.abilities.count && report.abilities.count == 13)
        #expect(report.abilities.allSatisfy { $0.unavailability?.isEmpty != true })
        #expect(report.libraries.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        #expect(report.libraries.contains { $0.contains("libcurl") || $0.contains("FoundationNetworking") })
        #expect(report.libcurlPath.map { FileManager.default.fileExists(atPath: $0) } == true)
        #expect(report.authorities.map { FileManager.default.fileExists(atPath: $0) } == true)
        #expect(report.components.contains { "\($0.name)/\($0.version)" == report.tlsLibrary })
        let counts = [report.components.count, report.abilities.count, report.libraries.count]
        #expect(lines.count == counts.reduce(4, +))
    }

    @Test("The report names what each TLS library lacks")
    func tlsAbilities() {
        let hidden = "OpenSSL/1.1.1 has no function a"
        for (library, reason, lacks) in [
            ("OpenSSL/3.0.19", nil, [false, false, false, false, true]),
            ("OpenSSL/3.5.0", nil, [false, false, false, false, false]),
            ("OpenSSL/4.0.3 (x)", nil, [false, false, false, false, false]),
            ("OpenSSL/1.1.1", hidden, [true, false, true, true, true]),
            ("BoringSSL/1", "libcurl uses BoringSSL/1", [true, false, true, true, true]),
            ("GnuTLS/3.8.13", "libcurl uses GnuTLS/3.8.13", [true, true, true, true, true]),
        ] as [(String, String?, [Bool])] {
            let tls = TLSAbilities(trustUnavailability: reason, library: library)
            let abilities = EngineReport.abilities(of: tls, namesGroups: reason == nil)
            #expect(abilities.map { !$0.isAvailable } == lacks, "\(library)")
            #expect(abilities.allSatisfy { $0.unavailability?.contains("/") != false }, "\(library)")
        }
    }

    @Test("The components of libcurl are read from its version text")
    func components() {
        let description = "libcurl/8.23.0 (GnuTLS/3.8.0) OpenSSL/3.6.0 c-ares/1.34 libpsl/0.21.2 (+libidn2/2.3.3) NSS"

        let report = EngineReport(abilities: [], description: description, maps: "")

        #expect(report.components.map(\.name) == ["OpenSSL", "c-ares", "libpsl"])
        #expect(report.components.map(\.version) == ["3.6.0", "1.34", "0.21.2"])
        #expect(EngineReport(abilities: [], description: "", maps: "").components.isEmpty)
    }

    @Test("Libraries are read from the memory map of a process, each once, with blanks in their names")
    func maps() {
        let maps = """
            7f1c-7f2c r-xp 00000000 08:01 123    /usr/lib/x86_64-linux-gnu/libcurl.so.4.8.0
            7f2c-7f3c r--p 00000000 08:01 123    /usr/lib/x86_64-linux-gnu/libcurl.so.4.8.0
            7f3c-7f4c r--p 00000000 08:01 124    /opt/my libraries/libz.so.1.2.13 (deleted)
            7f4c-7f5c r--p 00000000 08:01 125    /usr/lib/libzmq.so.5
            7f5c-7f6c rw-p 00000000 00:00 0
            7f6c-7f7c rw-p 00000000 00:00 0      [heap]
            """
        #expect(
            EngineReport(abilities: [], maps: maps).libraries == [
                "/opt/my libraries/libz.so.1.2.13 (deleted)", "/usr/lib/x86_64-linux-gnu/libcurl.so.4.8.0",
            ]
        )
    }

    @Test("Without libcurl every task fails with the reason, and the session can be invalidated")
    func unavailable() async throws {
        let server = try LoopbackServer()
        let session = CurlURLSession(
            .ephemeral,
            delegate: nil,
            queue: nil,
            options: CurlURLSession.Options(),
            callsDelegateOnLoop: false,
            unavailability: "libcurl 7.29.0 is too old; 7.68 or later is needed."
        )

        let error = await #expect(throws: URLError.self) { _ = try await session.data(from: server.url("/get")) }
        session.finishTasksAndInvalidate()

        #expect(error?.code == .resourceUnavailable)
        #expect(error?.localizedDescription.contains("too old") == true)
        #expect(server.requests.isEmpty)
    }
}
#endif
