import Foundation
import Testing

@testable import Larkspur

@Suite struct HTTPHeadersTests {
    @Test func aSetValueCanBeReadInAnyCase() {
        var headers = HTTPHeaders()
        headers["X-Custom"] = "value"
        #expect(headers["X-Custom"] == "value")
        #expect(headers["x-cUSTOM"] == "value")
    }

    @Test func anUnsetFieldIsNil() {
        #expect(HTTPHeaders()["X-Custom"] == nil)
    }

    @Test func settingNilRemovesTheFieldWhateverItsCase() {
        var headers: HTTPHeaders = ["X-Custom": "value", "Other": "1"]
        headers["x-custom"] = nil
        #expect(headers.map(\.name) == ["Other"])
        headers["Missing"] = nil
        #expect(headers.count == 1)
    }

    @Test func settingReplacesInPlaceAndTakesTheNewSpelling() {
        var headers: HTTPHeaders = ["a": "1", "B": "2", "C": "3"]
        headers["b"] = "two"
        #expect(headers.map(\.name) == ["a", "b", "C"])
        #expect(headers.map(\.value) == ["1", "two", "3"])
    }

    @Test func fieldsKeepTheOrderInWhichTheyWereSet() {
        let headers: HTTPHeaders = ["Z": "1", "A": "2", "M": "3"]
        #expect(headers.map(\.name) == ["Z", "A", "M"])
    }

    @Test func addingJoinsValuesWithACommaAndCookiesWithASemicolon() {
        var headers: HTTPHeaders = ["Accept": "text/html"]
        headers.add(HTTPHeaders.Field(name: "accept", value: "text/plain"))
        headers.add(HTTPHeaders.Field(name: "Cookie", value: "a=1"))
        headers.add(HTTPHeaders.Field(name: "cookie", value: "b=2"))
        #expect(headers["Accept"] == "text/html, text/plain")
        #expect(headers["Cookie"] == "a=1; b=2")
        #expect(headers.map(\.name) == ["Accept", "Cookie"])
    }

    @Test func ofSeveralLiteralsWithOneNameTheLastCounts() {
        let dictionary: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
        let array: HTTPHeaders = [
            .init(name: "Accept", value: "x"), .init(name: "User-Agent", value: "y"), .init(name: "Accept", value: "z"),
        ]
        #expect(dictionary.map(\.description) == ["a: 3", "B: 2"])
        #expect(array.map(\.description) == ["Accept: z", "User-Agent: y"])
    }

    @Test func aDictionaryIsSortedAndNamesOfDifferentCaseAreJoined() {
        let headers = HTTPHeaders(["b": "2", "A": "1", "B": "3"] as [String: String])
        #expect(headers.map(\.description) == ["A: 1", "B: 3, 2"])
    }

    @Test func theFieldsOfAResponseAreTaken() throws {
        let url = try #require(URL(string: "http://example.com"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["ETag": "\"1\"", "Age": "7"])
        )
        #expect(response.headers["etag"] == "\"1\"")
        #expect(response.headers["AGE"] == "7")
        #expect(HTTPHeaders(allHeaderFields: ["Age": 7, 1: "x"] as [AnyHashable: Any]).dictionary == ["Age": "7"])
    }

    @Test func theFieldsOfARequestAreReadAndReplaced() throws {
        var request = URLRequest(url: try #require(URL(string: "http://example.com")))
        request.setValue("1", forHTTPHeaderField: "X-Old")
        request.headers = ["X-New": "2"]
        #expect(request.allHTTPHeaderFields == ["X-New": "2"])
        #expect(request.headers == ["x-new": "2"])
    }

    @Test func mergingLetsTheOtherFieldsWin() {
        var headers: HTTPHeaders = ["A": "1", "B": "2"]
        headers.merge(["b": "3", "C": "4"])
        #expect(headers.map(\.description) == ["A: 1", "b: 3", "C: 4"])
    }

    @Test func equalityIgnoresTheCaseOfNamesAndTheOrder() {
        let headers: HTTPHeaders = ["A": "x", "B": "y"]
        let same: HTTPHeaders = ["b": "y", "a": "x"]
        #expect(headers == same)
        #expect(headers.hashValue == same.hashValue)
        #expect(headers != ["A": "X", "B": "y"])
        #expect(headers != ["A": "x"])
    }

    @Test func theBuildersWriteTheirFields() {
        let expected: [(HTTPHeaders.Field, String, String)] = [
            (
                .authorization(username: "Aladdin", password: "open sesame"), "Authorization",
                "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
            ),
            (.authorization(username: "ü", password: "é"), "Authorization", "Basic w7w6w6k="),
            (.authorization(bearerToken: "abc"), "Authorization", "Bearer abc"),
        ]
        for (field, name, value) in expected {
            #expect(field.name == name)
            #expect(field.value == value)
        }
    }

    @Test(arguments: [
        "Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-Auth", "X-Auth-Token", "X-API-Key",
        "x_api_key",
        "Api-Key", "apikey", "Client-Secret", "X-Password", "X-Amz-Security-Token", "X-CSRF-Token", "X-Hub-Signature",
        "X-Functions-Key", "X-Session-ID", "SessionId", "X-Csrf", "X-JWT-Assertion", "Passphrase", "X-Authentication",
    ])
    func printingHidesWhatIsSecret(name: String) {
        let headers: HTTPHeaders = [name: "hunter2", "Accept": "text/plain"]
        var dumped = ""
        dump(headers, to: &dumped)
        let field = HTTPHeaders.Field(name: name, value: "hunter2")
        dump(field, to: &dumped)
        var settings = RequestSettings()
        settings.headers = headers
        dump(settings, to: &dumped)
        for text in [
            "\(headers)", headers.debugDescription, dumped, "\(field)", String(reflecting: field), "\([field])",
            "\(settings)",
        ] {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("<redacted>"))
        }
        #expect(headers.description.contains("Accept: text/plain"))
        #expect(dumped.contains("text/plain"))
    }

    @Test(arguments: ["Accept", "Author", "Content-Type", "X-Request-ID", "User-Agent", "Keep-Alive", "X-Keyboard"])
    func printingShowsWhatIsNoSecret(name: String) {
        #expect("\(HTTPHeaders.Field(name: name, value: "shown"))" == "\(name): shown")
    }

    @Test func printingKeepsEveryFieldOnItsLine() {
        let headers: HTTPHeaders = ["X-A": "1\r\nX-B: 2"]
        #expect(headers.description == "X-A: 1\\u{D}\\u{A}X-B: 2")
    }

    @Test func printingKeepsTheOrder() {
        let headers: HTTPHeaders = ["c": "c", "a": "a", "b": "b"]
        #expect(headers.description == "c: c\na: a\nb: b")
        #expect(headers.debugDescription == "[c: c, a: a, b: b]")
    }

    @Test(arguments: ["", "a b", "a:b", "naïve", "a\r\nb", "a\n", "\u{0}", "(x)", "a\"", "a,b", "X-Flag🇩🇪"])
    func aNameThatIsNoTokenIsRefused(name: String) {
        let error = #expect(throws: LarkspurError.self) { try HTTPHeaders.Field(name: name, value: "v").validate() }
        #expect(error?.code == .invalidHeaderField)
    }

    @Test(arguments: ["a\r\nb", "\r\n", "a\rb", "a\nb", "a\u{0}b", "x\r\n\u{301}y", "\n"])
    func aValueThatWouldEndItsLineIsRefused(value: String) {
        let headers: HTTPHeaders = ["Accept": "ok", "X-Name": value]
        let error = #expect(throws: LarkspurError.self) { try headers.validate() }
        #expect(error?.code == .invalidHeaderField)
        #expect(error?.message.contains("X-Name") == true)
    }

    @Test(arguments: ["", "plain", "tab\there", "ünïcödé", " spaces ", "\u{85}", "\u{2028}"])
    func everyOtherValueIsAccepted(value: String) throws {
        try HTTPHeaders.Field(name: "!#$%&'*+-.^_`|~09azAZ", value: value).validate()
    }

    @Test func theErrorNeverHoldsTheValue() {
        let value = #expect(throws: LarkspurError.self) {
            try HTTPHeaders.Field(name: "X-Token", value: "hunter2\n").validate()
        }
        let line = #expect(throws: LarkspurError.self) {
            try HTTPHeaders.Field(name: "Authorization: Bearer hunter2", value: "").validate()
        }
        #expect(value.map { "\($0)".contains("hunter2") } == false)
        #expect(line.map { "\($0)".contains("hunter2") } == false)
        #expect(line?.message.contains("Authorization") == true)
    }

    @Test func languagesAreWeightedAndSixAtMost() {
        let tags = ["de-DE", "en", "fr", "it", "es", "pt", "nl"]
        #expect(
            HTTPHeaders.Field.acceptLanguage(tags).value
                == "de-DE;q=1, en;q=0.9, fr;q=0.8, it;q=0.7, es;q=0.6, pt;q=0.5"
        )
        #expect(HTTPHeaders.Field.acceptLanguage(["C.UTF-8", "en\r\nX: y", "", "en"]).value == "en;q=1")
        #expect(HTTPHeaders.Field.acceptLanguage([]).value == "")
    }

    @Test(arguments: [
        ("App", "2.1", "macOS 15.1.0", "App/2.1 (macOS 15.1.0)"),
        ("Погода", "1.0", "Linux 6", "%D0%9F%D0%BE%D0%B3%D0%BE%D0%B4%D0%B0/1.0 (Linux 6)"),
        ("Me\u{301}te\u{301}o", "1é", "Линукс 6", "Me%CC%81te%CC%81o/1%C3%A9 ( 6)"),
        ("My App", "1 b2", "Linux (x) 6", "My-App/1-b2 (Linux x 6)"),
        ("App", "", "Linux", "App/1.0 (Linux)"),
        ("😀", "2.1", "Linux", "%F0%9F%98%80/2.1 (Linux)"),
        ("()\u{0}", "2.1", "Linux\\\u{7F}", "Larkspur/\(LarkspurVersion.current) (Linux)"),
        ("A\r\nX: y", "1", "Linux\r\n6", "A--X--y/1 (Linux6)"),
    ])
    func theUserAgentIsASCII(product: String, version: String, system: String, expected: String) {
        #expect(HTTPHeaders.Field.userAgent(product: product, version: version, system: system).value == expected)
    }

    @Test func theDefaultsNameTheProcessAndTheSystem() throws {
        let agent = try #require(HTTPHeaders.default["User-Agent"])
        #expect(agent.hasPrefix("\(ProcessInfo.processInfo.processName)/"))
        #expect(agent.hasSuffix("(\(OperatingSystem.description))"))
        #expect(agent.utf8.allSatisfy { $0 < 0x80 })
        #expect((HTTPHeaders.default["Accept-Language"] == nil) == Platform.preferredLanguages.isEmpty)
        try HTTPHeaders.default.validate()
    }

    @Test func theDefaultsDoNotTellTheKernelsVersion() throws {
        let agent = try #require(HTTPHeaders.default["User-Agent"])
        let version = ProcessInfo.processInfo.operatingSystemVersion
        #expect(!agent.contains("\(version.majorVersion).\(version.minorVersion)"))
        #expect(agent.hasSuffix("(Linux)"))
    }

    @Test(
        arguments: [
            ([:], nil), (["LANG": "C"], nil), (["LANG": "C.UTF-8"], nil), (["LANG": "POSIX"], nil), (["LANG": ""], nil),
            (["LANG": "de_DE.UTF-8"], "de-DE"), (["LANG": "de_AT@euro"], "de-AT"), (["LANG": "de_AT.\u{301}"], "de-AT"),
            (["LANG": "eo"], "eo"),
            (["LANG": "es_419.UTF-8"], "es-419"), (["LANG": "ast_ES"], "ast-ES"),
            (["LC_ALL": "C.UTF-8", "LANG": "de_DE.UTF-8"], nil), (["LC_ALL": "", "LANG": "de_DE.UTF-8"], "de-DE"),
            (["LC_ALL": "fr_FR", "LC_MESSAGES": "it_IT", "LANG": "de_DE"], "fr-FR"),
            (["LC_MESSAGES": "it_IT", "LANG": "de_DE"], "it-IT"), (["LC_CTYPE": "it_IT"], nil),
            (["LANG": "/usr/share/locales/de"], nil), (["LANG": "de_DE\r\nX: y"], nil), (["LANG": "english"], nil),
            (["LANG": "de_"], nil), (["LANG": "de_DE_x"], nil),
        ] as [([String: String], String?)]
    )
    func theLanguageIsThatOfTheLocale(environment: [String: String], expected: String?) {
        #expect(LocaleName.ofMessages(in: environment)?.languageTag == expected)
    }
}
