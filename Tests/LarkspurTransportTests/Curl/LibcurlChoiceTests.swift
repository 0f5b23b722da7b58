#if canImport(FoundationNetworking)
import CDynamicLibrary
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurTransport

/// Whether the process has the run-time library of a sanitizer.
private let hasSanitizer = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

/// Each test runs in a process of its own, because a process chooses once. The libcurl that is chosen is a copy of the
/// one that the process has loaded, so that the process has two.
@Suite(
    "A libcurl of choice",
    .disabled(if: hasSanitizer, "A program with a sanitizer cannot load a second libcurl."),
    .timeLimit(.minutes(5))
)
struct LibcurlChoiceTests {
    private let folder = TemporaryFolder()
    private let copy: URL

    init() throws {
        let loaded = try #require(Self.loadedLibcurl)
        copy = folder.url.appendingPathComponent("libcurl-copy.so.4")
        try FileManager.default.copyItem(at: loaded.resolvingSymlinksInPath(), to: copy)
    }

    /// The file of the libcurl with which FoundationNetworking was linked.
    private static var loadedLibcurl: URL? {
        guard let function = dlsym(nil, "curl_version"), let path = dynamic_library_path(function) else { return nil }
        return URL(fileURLWithPath: String(cString: path))
    }

    private static func forgetEnvironment() { unsetenv("LARKSPUR_LIBCURL") }

    /// Sends a request over TLS, and checks the server's key with the OpenSSL of the libcurl in use.
    private static func sendSecurely() async throws -> Int? {
        let server = try LoopbackServer(tls: .selfSigned())
        let certificate = try TLSCertificate(try #require(server.certificate).der)
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only([certificate])
        options.tls.pins = [try HostPins("localhost", pins: [PublicKeyPin(certificate: certificate)])]
        let session = CurlURLSession(configuration: .ephemeral, options: options)
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: "https://localhost:\(server.port)/get"))
        let (_, response) = try await session.data(from: url)
        return (response as? HTTPURLResponse)?.statusCode
    }

    @Test("A chosen libcurl is used with its own OpenSSL, next to the libcurl of FoundationNetworking")
    func chosen() async {
        await #expect(processExitsWith: .success) { [path = copy.path as String] in
            Self.forgetEnvironment()
            try CurlURLSession.useLibcurl(at: URL(fileURLWithPath: path))
            try CurlURLSession.useLibcurl(at: URL(fileURLWithPath: path))
            let report = EngineReport()
            #expect(report.libcurlPath == path && report.unavailabilityReason == nil)
            let names = report.libraries.compactMap { $0.split(separator: "/").last }
            #expect(report.libraries.contains(path) && names.count { $0.hasPrefix("libcurl") } == 2)
            #expect(report.abilities.first { $0.name.hasPrefix("pins") }?.isAvailable == true)
            let codings = report.abilities.filter { $0.name.hasPrefix("content coding") }
            #expect(codings.count { $0.isAvailable } == codings.count)
            #expect(try await Self.sendSecurely() == 200)
        }
    }

    @Test("A second choice is rejected, and the error names the libcurl in use")
    func second() async {
        await #expect(processExitsWith: .success) { [path = copy.path as String] in
            Self.forgetEnvironment()
            let loaded = try #require(Self.loadedLibcurl)
            #expect(CurlURLSession.isAvailable)
            let error = #expect(throws: LibcurlChoiceError.self) {
                try CurlURLSession.useLibcurl(at: URL(fileURLWithPath: path))
            }
            let version = try #require(CurlURLSession.libcurlVersion)
            #expect(error?.reason == .otherInUse)
            #expect(error?.localizedDescription.hasPrefix("The process already uses libcurl \(version) (") == true)
            #expect(error?.message.contains(loaded.lastPathComponent) == true)
            // To name the one in use is no other choice.
            try CurlURLSession.useLibcurl(at: loaded)
            #expect(EngineReport().libcurlPath != path)
        }
    }

    @Test("An unusable file is an error with its path and the reason, and another file can then be chosen")
    func unusable() async throws {
        let text = try folder.file("text.so", Data("no library".utf8))
        let missing = folder.url.appendingPathComponent("missing.so")
        await #expect(processExitsWith: .success) {
            [path = copy.path as String, text = text.path as String, missing = missing.path as String] in
            Self.forgetEnvironment()
            for (file, reason) in [
                (missing, "No such file"), (text, "file too short"), ("/lib64/libc.so.6", "curl_version_info"),
                ("/lib/x86_64-linux-gnu/libc.so.6", "curl_version_info"),
            ] where !file.hasPrefix("/lib") || FileManager.default.fileExists(atPath: file) {
                let error = #expect(throws: LibcurlChoiceError.self) {
                    try CurlURLSession.useLibcurl(at: URL(fileURLWithPath: file))
                }
                #expect(error?.reason == .fileUnusable)
                #expect(error?.message.contains(file) == true && error?.message.contains(reason) == true, "\(file)")
            }
            try CurlURLSession.useLibcurl(at: URL(fileURLWithPath: path))
            #expect(EngineReport().libcurlPath == path)
        }
    }

    @Test("The environment chooses a libcurl, and the program's choice of another is rejected")
    func environment() async {
        await #expect(processExitsWith: .success) { [path = copy.path as String] in
            setenv("LARKSPUR_LIBCURL", path, 1)
            let loaded = try #require(Self.loadedLibcurl)
            let error = #expect(throws: LibcurlChoiceError.self) { try CurlURLSession.useLibcurl(at: loaded) }
            #expect(error?.reason == .otherInUse && error?.message.contains(path) == true)
            try CurlURLSession.useLibcurl(at: URL(fileURLWithPath: path))
            #expect(EngineReport().libcurlPath == path)
            #expect(try await Self.sendSecurely() == 200)
        }
    }

    @Test("If the libcurl of the environment cannot be used, each task fails with the reason")
    func environmentWithoutLibrary() async throws {
        for (value, reason) in [
            ("/missing/libcurl.so.4", "The libcurl in /missing/libcurl.so.4 cannot be loaded: /missing/libcurl.so.4: "),
            ("8.16.0", "LARKSPUR_LIBCURL is “8.16.0”, and not the path of a file."),
        ] {
            await #expect(processExitsWith: .success) { [value = value as String, reason = reason as String] in
                setenv("LARKSPUR_LIBCURL", value, 1)
                let server = try LoopbackServer()
                let session = CurlURLSession(configuration: .ephemeral)
                let error = await #expect(throws: URLError.self) { try await session.data(from: server.url("/get")) }
                #expect(error?.code == .resourceUnavailable)
                #expect(error?.localizedDescription.contains(reason) == true)
                #expect(!CurlURLSession.isAvailable && server.requests.isEmpty)
                let refusal = #expect(throws: LibcurlChoiceError.self) {
                    try CurlURLSession.useLibcurl(at: try #require(Self.loadedLibcurl))
                }
                #expect(refusal?.reason == .otherInUse && refusal?.message.contains(reason) == true)
            }
        }
    }

    @Test("Errors have stable labels")
    func labels() {
        let reasons = [LibcurlChoiceError.Reason.fileUnusable, .otherInUse]
        #expect(reasons.map(\.label) == ["file-unusable", "other-in-use"])
        #expect("\(LibcurlChoiceError.Reason.fileUnusable)" == "file-unusable")
    }
}
#endif
