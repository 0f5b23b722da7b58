import LarkspurTesting
import Testing

@testable import Larkspur

/// In processes of their own, because ICU reads the environment once.
@Suite("The process's locale", .timeLimit(.minutes(5)))
struct LocaleTests {
    /// Values that ICU cannot parse, or that have other digits, separators and letters than English.
    private static let locales = ["aaaaaaaaaaaa", "tr_TR.UTF-8", "ar_EG", "/", "@"]

    /// Makes the locale of the process, and its name, which are not in ASCII.
    private static func begin(_ locale: String) {
        for name in ["LC_ALL", "LC_MESSAGES", "LC_NUMERIC", "LANG"] { setenv(name, locale, 1) }
        setlocale(LC_ALL, "")
        ProcessInfo.processInfo.processName = "Погода"
    }

    @Test("No locale ends the process or changes the default fields", arguments: locales)
    func defaultFields(locale: String) async {
        await #expect(processExitsWith: .success) { [locale] in
            Self.begin(locale)
            #expect(HTTPHeaders.default["User-Agent"]?.hasPrefix("%D0%9F%D0%BE%D0%B3%D0%BE%D0%B4%D0%B0/") == true)
        }
    }

    @Test("No locale ends the process or changes the sent, received and recorded text", arguments: locales)
    func call(locale: String) async {
        await #expect(processExitsWith: .success) { [locale] in
            Self.begin(locale)
            let server = try LoopbackServer()
            server.route("/title", .data(Data("TITLE ".utf8) + [0xFD], contentType: "text/plain; charset=ISO-8859-9"))
            server.route("/missing", .status(404))
            let recorder = HARRecorder()
            let lines = Recorder<String>()
            let manager = SessionManager(baseURL: server.baseURL)
            manager.observers = [recorder, ConsoleLogger(level: .content) { lines.record($0) }]

            let text = try await manager.get("title", parameters: ["I": "İı"]).string
            let error = await #expect(throws: LarkspurError.self) { try await manager.get("missing").data }

            #expect(text == "TITLE ı")
            #expect(server.requests.first?.target == "/title?I=%C4%B0%C4%B1")
            #expect(error?.message == "Request failed: Not Found (404)")
            #expect(String(decoding: recorder.data, as: UTF8.self).contains("Not Found"))
            #expect(lines.values.isEmpty == false)
            #expect(Duration.milliseconds(45).brief == "45.0 ms" && Duration.seconds(1234).brief == "1234 s")
        }
    }
}
