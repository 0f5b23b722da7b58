import Larkspur

/// A client that is linked as a whole, and runs where there is nothing but certificates.
///
///     Client CERTIFICATES PORT…    the folder with the certificates; NAME=PORT of each server
@main
enum Client {
    static func main() async {
        do {
            try await Client.run(CommandLine.arguments)
        } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    private static func expect(_ isTrue: Bool, _ description: String) throws {
        print("\(isTrue ? "ok   " : "wrong") \(description)")
        if !isTrue { throw Mismatch(description: description) }
    }

    private static func run(_ arguments: [String]) async throws {
        guard arguments.count > 2 else { throw Mismatch(description: "arguments are missing") }
        let folder = URL(fileURLWithPath: arguments[1])
        let ports = Dictionary(
            arguments[2...].map { argument in
                let parts = argument.split(separator: "=")
                return (parts.first.map(String.init) ?? "", parts.last.flatMap { Int($0) } ?? 0)
            },
            uniquingKeysWith: { $1 }
        )
        func url(_ scheme: String, _ name: String, _ path: String) -> String {
            "\(scheme)://localhost:\(ports[name] ?? 0)\(path)"
        }
        func roots(_ name: String) throws -> TrustedRoots {
            .only(try TLSCertificate.certificates(contentsOf: folder.appendingPathComponent(name)))
        }

        let report = EngineReport()
        print(report)
        try expect(report.unavailabilityReason == nil, "libcurl \(report.libcurlVersion ?? "") is linked in")
        try expect(report.libcurlPath == nil && report.libraries.isEmpty, "no library is loaded")
        let needed = ["content coding", "pins"]
        for ability in report.abilities where needed.contains(where: { ability.name.hasPrefix($0) }) {
            try expect(ability.isAvailable, ability.name)
        }

        // Nothing in the folder resolves names.
        var options = CurlURLSession.Options()
        options.hostAddresses = ["h2", "chain", "http", "zstd"].map { name in
            HostAddress(host: "localhost", port: ports[name] ?? 0, addresses: ["127.0.0.1"])
        }
        options.http2 = .always
        options.tls.trustedRoots = try roots("authority.pem")
        let manager = SessionManager(configuration: .ephemeral, transport: .curl(options))
        let echo = await manager.get(url("https", "h2", "/echo")).response(as: .data)
        try expect(echo.httpResponse?.statusCode == 200, "a GET over TLS")
        try expect(echo.metrics?.protocolName == "h2" && echo.metrics?.tlsVersion != nil, "HTTP/2 over TLS")
        for (path, coding) in [("/text.txt", "br"), ("/gzip/text.txt", "gzip")] {
            let text = await manager.get(url("https", "h2", path)).response(as: .data)
            let field = text.httpResponse?.value(forHTTPHeaderField: "Content-Encoding")
            try expect(text.data.count == 100 << 10 && field == coding, "content in \(coding)")
        }
        let hello = try await manager.get(url("http", "zstd", "/")).data
        try expect(String(decoding: hello, as: UTF8.self) == "hello", "content in zstd")

        let leaf = try TLSCertificate(contentsOf: folder.appendingPathComponent("chain-leaf.pem"))
        let other = try TLSCertificate(contentsOf: folder.appendingPathComponent("authority.pem"))
        options.tls.trustedRoots = try roots("chain-root.pem")
        options.tls.pins = [try HostPins("localhost", pins: [PublicKeyPin(certificate: leaf)])]
        let pinned = SessionManager(configuration: .ephemeral, transport: .curl(options))
        let accepted = await pinned.get(url("https", "chain", "/echo")).response(as: .data)
        try expect(accepted.httpResponse?.statusCode == 200, "a server with the pinned key")
        options.tls.pins = [try HostPins("localhost", pins: [PublicKeyPin(certificate: other)])]
        let refusing = SessionManager(configuration: .ephemeral, transport: .curl(options))
        do {
            _ = try await refusing.get(url("https", "chain", "/echo")).data
            try expect(false, "a server with another key is refused")
        } catch let error as LarkspurError {
            try expect(error.code == .certificatePinMismatch, "a server with another key is refused: \(error.label)")
        }
        var refusal: LibcurlChoiceError?
        do {
            try CurlURLSession.useLibcurl(at: folder.appendingPathComponent("libcurl.so.4"))
        } catch {
            refusal = error
        }
        try expect(refusal?.reason == .otherInUse, "another libcurl is refused: \(refusal?.message ?? "")")
    }
}
