#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import LarkspurTesting
import Testing
import TestSupport

@testable import LarkspurTransport

/// The store of HSTS beside that of curl, which gets the same fields from a server.
@Suite("HSTS beside curl", .needsServers, .seeded, .timeLimit(.minutes(10)))
struct HSTSTests {
    private let secure: LoopbackServer
    private let plain: LoopbackServer
    private let folder = TemporaryFolder()

    init() throws {
        secure = try LoopbackServer(tls: .selfSigned())
        plain = try LoopbackServer()
        for server in [secure, plain] {
            server.route("/set") { request in
                let query = URLComponents(string: "http://host\(request.target)")?.queryItems ?? []
                let field = query.first { $0.name == "field" }?.value ?? ""
                return .status(204, headers: ["Strict-Transport-Security": field])
            }
        }
    }

    /// Runs curl with the file of a test, and returns its output.
    private func curl(_ file: URL, _ urls: [String]) throws -> [String] {
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "curl", "--silent", "--insecure", "--hsts", file.path, "--write-out", "%{scheme} %{http_code}\\n",
                "--connect-to", ":443:127.0.0.1:\(secure.port)", "--connect-to", ":80:127.0.0.1:\(plain.port)",
            ] + urls.flatMap { ["--output", "/dev/null", $0] }
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return text.uppercased().split(separator: "\n").map(String.init)
    }

    private static let hosts = [
        "a.test", "b.a.test", "c.b.a.test", "d.c.b.a.test", "ba.test", "x.test", "y.x.test", "A.Test", "a.test.",
        "test", "127.0.0.1",
    ]

    /// A field that matches the grammar. curl does not know quoted values with a semicolon, and no blank before "=".
    private func field(_ random: inout SeededGenerator) -> String {
        func blanks() -> String { [" ", "", "\t", "  "].randomElement(using: &random) ?? "" }
        func mixed(_ text: String) -> String {
            String(text.map { Bool.random(using: &random) ? Character($0.uppercased()) : Character($0.lowercased()) })
        }
        let age = ["0", "100000", "31536000", "007000000"].randomElement(using: &random) ?? ""
        let value = Bool.random(using: &random) ? age : "\"\(age)\""
        var directives = ["\(mixed("max-age"))=\(blanks())\(value)"]
        if Bool.random(using: &random) { directives.append(mixed("includeSubDomains")) }
        for unknown in ["preload", "report-to=\"a b,c\"", "x=y", ""] where Int.random(in: 0..<4, using: &random) == 0 {
            directives.append(unknown)
        }
        return directives.shuffled(using: &random).map { blanks() + $0 + blanks() }.joined(separator: ";")
    }

    @Test(
        "Sequences of fields lead to the same hosts as with curl, and each client reads the other's file",
        arguments: 0..<25
    )
    func sequences(_ number: Int) throws {
        var random = SeededGenerator(number)
        let store = try HSTSStore(file: folder.url.appendingPathComponent("own.txt"))
        let file = folder.url.appendingPathComponent("curl.txt")
        let steps = (0..<Int.random(in: 1...15, using: &random)).map { _ in
            (host: Self.hosts.randomElement(using: &random) ?? "a.test", field: field(&random))
        }
        let urls = try steps.map { step in
            let value = try #require(step.field.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            return "https://\(step.host)/set?field=\(value)"
        }
        #expect(try curl(file, urls).allSatisfy { $0 == "HTTPS 204" })
        for step in steps { store.note(step.field, of: URL(string: "https://\(step.host)/")) }

        func summary(_ hosts: [HSTSStore.Host]) -> [String] {
            // The times of both differ by the duration of the test.
            hosts.map {
                "\($0.name) \($0.includesSubdomains) \(Int($0.expirationDate.timeIntervalSinceNow / 86_400 + 0.5))"
            }
        }
        #expect(summary(try HSTSStore(file: file).hosts) == summary(store.hosts))
        try store.save()
        for own in [file, folder.url.appendingPathComponent("own.txt")] {
            let schemes = try curl(own, Self.hosts.map { "http://\($0)/get" })
            for (host, scheme) in zip(Self.hosts, schemes) {
                #expect(scheme == (store.requiresHTTPS(host) ? "HTTPS 200" : "HTTP 200"), "\(host)")
            }
        }
    }
}
#endif
