#if canImport(FoundationNetworking)

import Foundation
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("Names that servers suggest for files", .timeLimit(.minutes(5)))
struct SuggestedFilenameTests {
    @Test(
        "A name is that of a file in any folder",
        arguments: [
            (nil, "Unknown"), ("", "Unknown"), ("   ", "Unknown"), (" \t", "_"), (".", "_"), ("..", "__"),
            ("...", "___"),
            (".bashrc", "_bashrc"), (" .. ", "__"), ("a/b", "a_b"), ("/", "_"), ("/\u{338}", "_\u{338}"),
            ("..\\..\\x", "__\\..\\x"), ("a\u{0}b", "a_b"), ("a\nb", "a_b"), ("a\u{9B}b", "a_b"),
            ("a\u{202E}gpj.exe", "a_gpj.exe"), (" r\u{E9}sum\u{E9} 1.pdf ", "r\u{E9}sum\u{E9} 1.pdf"),
            ("\u{1F600}.png", "\u{1F600}.png"), ("a.b.tar.gz", "a.b.tar.gz"), ("-rf", "-rf"), ("CON", "CON"),
        ] as [(String?, String)]
    )
    func names(suggestion: String?, name: String) {
        #expect(SuggestedFilename(suggestion).text == name.replacing("\\", with: "_"))
    }

    @Test("A long name is cut, without its extension where that is short")
    func long() {
        let long = String(repeating: "\u{4E2D}", count: 1000)
        #expect(SuggestedFilename(long).text == String(long.prefix(85)))
        #expect(SuggestedFilename(String(long.prefix(200)) + ".pdf").text == String(long.prefix(83)) + ".pdf")
        #expect(SuggestedFilename("a." + long).text.utf8.count <= 255)
        #expect(SuggestedFilename(String(repeating: "..", count: 1 << 19)).text.utf8.count == 255)
    }

    @Test(
        "Responses suggest no other names",
        arguments: [
            ("attachment; filename=\"..\"", "__"), ("attachment; filename=\"\"", "Unknown"),
            ("attachment; filename=\"/\"", "Unknown"), ("attachment; filename=.bashrc", "_bashrc"),
            ("attachment; filename=\"report.pdf\"", "report.pdf"), ("inline", "Unknown"),
        ]
    )
    func responses(field: String, name: String) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.route("*", LoopbackServer.Response.text("ok").adding("Content-Disposition", field))
        let (_, response) = try await CurlURLSession(configuration: .testing).data(from: server.url("/"))
        #expect(response.suggestedFilename == name)
    }
}

#endif
