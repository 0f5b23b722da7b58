#if canImport(FoundationNetworking)

import Foundation
import HTTPSyntax
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Names that servers suggest for files", .timeLimit(.minutes(5)))
struct SuggestedFilenameTests {
    @Test(
        "A suggested name names a visible file in any folder, and is not a command-line option",
        arguments: [
            ("", nil), ("   ", nil), (" \t", nil), (".", "_"), ("..", "__"), ("...", "___"), (".bashrc", "_bashrc"),
            (" .. ", "__"), ("a/b", "b"), ("/", nil), ("a/", "a"), ("/etc/passwd", "passwd"), ("/\u{338}", "\u{338}"),
            ("..\\..\\x", "x"), ("C:\\a\\.b", "_b"), ("a/ ", nil), ("a\u{0}b", "a_b"), ("a\nb", "a_b"),
            ("\u{0}.x", "_.x"), ("a\r\nb", "a__b"), ("a\u{9B}b", "a_b"), ("a\u{7F}", "a_"),
            ("a\u{202E}gpj.exe", "a_gpj.exe"), (" r\u{E9}sum\u{E9} 1.pdf ", "r\u{E9}sum\u{E9} 1.pdf"),
            ("\u{1F600}.png", "\u{1F600}.png"), ("a.b.tar.gz", "a.b.tar.gz"), ("-rf", "_rf"),
            (" --output=x", "__output=x"),
            (".-.x", "___x"), ("x/-rf", "_rf"), ("-\u{301}", "_\u{301}"), ("a-.b", "a-.b"), ("CON", "CON"),
        ] as [(String, String?)]
    )
    func names(suggestion: String, name: String?) { #expect(SuggestedFilename(suggestion)?.text == name) }

    @Test("A suggested name of random characters stays in its folder, visible, and is not an option", .seeded)
    func randomNames() {
        var random = SeededGenerator()
        let parts = [
            "/", "\\", ".", "..", "-", " ", "\t", "\u{0}", "\r\n", "a", "\u{301}", "\u{202E}", "\u{1F600}", "\u{85}",
        ]
        for _ in 0..<20_000 {
            let suggestion = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                parts.randomElement(using: &random) ?? ""
            }
            .joined()
            guard let name = SuggestedFilename(suggestion)?.text else { continue }
            let first = name.unicodeScalars.first
            let isSafe =
                first != nil && first != "." && first != "-" && name.utf8.count <= 255
                && name.unicodeScalars.allSatisfy {
                    $0 != "/" && $0 != "\\" && $0 != "\u{202E}" && $0.properties.generalCategory != .control
                }
            #expect(isSafe, "\(suggestion.debugDescription) gives \(name.debugDescription)")
        }
    }

    @Test("A long name is shortened, and keeps a short extension")
    func long() throws {
        let long = String(repeating: "\u{4E2D}", count: 1000)
        #expect(SuggestedFilename(long)?.text == String(long.prefix(85)))
        #expect(SuggestedFilename(String(long.prefix(200)) + ".pdf")?.text == String(long.prefix(83)) + ".pdf")
        #expect(try #require(SuggestedFilename("a." + long)).text.utf8.count <= 255)
        #expect(SuggestedFilename(String(repeating: "..", count: 1 << 19))?.text.utf8.count == 255)
    }

    @Test("A shortened name does not end in a blank")
    func cutAtBlank() {
        let start = String(repeating: "a", count: 254)
        #expect(SuggestedFilename(start + " b" + start)?.text == start)
        #expect(SuggestedFilename(start + "." + String(repeating: " ", count: 5000) + "b")?.text == start + ".")
    }

    @Test(
        "A response suggests the server's filename, or else that of the URL",
        arguments: [
            ("/", "attachment; filename=\"..\"", "__"), ("/", "attachment; filename=\"\"", "Unknown"),
            ("/", "attachment; filename=\"/\"", "Unknown"), ("/x", "attachment; filename=.bashrc", "_bashrc"),
            ("/x", "attachment; filename=\"report.pdf\"", "report.pdf"), ("/", "inline", "Unknown"),
            ("/x/y.tar.gz?z.txt", "inline", "y.tar.gz"), ("/x/", "attachment; filename=\"\"", "x"),
            ("/x", "attachment; FILENAME*=utf-8''%E2%82%AC%20rates; filename=a", "\u{20AC} rates"),
            ("/x", "attachment; filename=a b", "x"), ("/%2e%2e%2F-a%0Ab", nil, "_a_b"), ("/%E4%00", nil, "Unknown"),
            ("/x", "attachment; filename=\"f\u{F6}\\o.html\"", "f\u{F6}o.html"),
        ] as [(String, String?, String)]
    )
    func responses(path: String, field: String?, name: String) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let response = LoopbackServer.Response.text("ok")
        server.route("*", field.map { response.adding("Content-Disposition", $0) } ?? response)
        let (_, head) = try await CurlURLSession(configuration: .testing).data(from: server.url(path))
        #expect(head.suggestedFilename == name)
    }
}

#endif
