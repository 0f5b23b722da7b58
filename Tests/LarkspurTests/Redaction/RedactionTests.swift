import Testing

@testable import Larkspur

@Suite("Redaction of secrets")
struct RedactionTests {
    private let rule = Redaction.standard

    private func content(_ text: String, _ type: String?) -> String {
        String(decoding: rule.content(Data(text.utf8), type: type), as: UTF8.self)
    }

    private func value(_ name: String, _ value: String) -> String { rule.value(of: .init(name: name, value: value)) }

    @Test(
        "Redacted JSON contains no secret, for any type or spelling",
        arguments: [
            ("application/json", #"{"token":"s3cret","n":1}"#, #"{"token":"<redacted>","n":1}"#),
            ("text/json", #"{"token":"s3cret"}"#, #"{"token":"<redacted>"}"#),
            ("application/x-amz-json-1.1", #"{"token":"s3cret"}"#, #"{"token":"<redacted>"}"#),
            ("text/plain; charset=utf-8", " \n[{\"token\":\"s3cret\"}]", #"[{"token":"<redacted>"}]"#),
            ("application/octet-stream", #"{"token":"s3cret"}"#, #"{"token":"<redacted>"}"#),
            ("application/json", "\u{FEFF}{\"token\":\"s3cret\"}", "\u{FEFF}{\"token\":\"<redacted>\"}"),
            ("text/plain", "\u{FEFF}{\"token\":\"s3cret\"}", "\u{FEFF}{\"token\":\"<redacted>\"}"),
            ("text/plain", #"{"token":"s3cret"#, "<redacted>"),
            ("application/json", "{\"token\":s3cret}", "<redacted>"),
            ("application/x-ndjson", "{\"a\":1}\n{\"token\":\"s3cret\"}\n", "{\"a\":1}\n{\"token\":\"<redacted>\"}\n"),
            ("application/x-ndjson", "{\"a\":1}\r\n\r\n{\"token\":\"s3c", "{\"a\":1}\r\n\r\n<redacted>"),
            ("application/jsonlines", "{\"token\":\"s3cret\"}\n[1]", "{\"token\":\"<redacted>\"}\n[1]"),
            ("application/jsonl", "[{\"token\":\"s3cret\"}]", "[{\"token\":\"<redacted>\"}]"),
            ("text/plain", "{\"a\":1}\n{\"token\":\"s3cret\"}", "{\"a\":1}\n{\"token\":\"<redacted>\"}"),
            (
                "application/json-seq", "\u{1E}{\"a\":1}\n\u{1E}{\n\"token\":\"s3cret\"}\n",
                "\u{1E}{\"a\":1}\n\u{1E}{\"token\":\"<redacted>\"}\n"
            ),
            (
                "text/event-stream", "id: 1\ndata: {\"token\":\ndata: \"s3cret\"}\n\n: x\ndata: [DONE]\n\n",
                "id: 1\ndata: {\"token\":\"<redacted>\"}\n\n: x\ndata: [DONE]\n\n"
            ),
            ("text/event-stream", "data:{\"a\":1}\r\n\r\ndata: b\r", "data:{\"a\":1}\r\n\r\ndata: b\r"),
            ("text/event-stream", "data:{\"token\":\"s3cret\"}\r\n\r\n", "data: {\"token\":\"<redacted>\"}\n\n"),
            ("text/event-stream", "data: token=s3cret&a=1\n", "data: token=redacted&a=1\n"),
            ("application/json", #"{"a":"{\"token\":\"s3cret\"}"}"#, #"{"a":"{\"token\":\"<redacted>\"}"}"#),
            ("application/json", #""{\"token\":\"s3cret\"}""#, #""{\"token\":\"<redacted>\"}""#),
            ("application/json", #"{"a":["/b?token=s3cret&c=d"]}"#, #"{"a":["/b?token=redacted&c=d"]}"#),
            (
                "application/json", #"{"a":"see https://ada:s3cret@h/ x"}"#,
                #"{"a":"see https://redacted:redacted@h/ x"}"#
            ),
        ] as [(String, String, String)]
    )
    func json(type: String, text: String, shown: String) { #expect(content(text, type) == shown) }

    @Test(
        "Redacted forms contain no secret",
        arguments: [
            ("a=1;password=s3cret;b=2", "a=1;password=<redacted>"), ("password=a;b&c=d", "password=<redacted>&c=d"),
            ("code=s3cret&state=x", "code=<redacted>&state=x"), ("zip_code=1&codec=2", "zip_code=1&codec=2"),
            ("user[pin]=s3cret&spinner=a", "user[pin]=<redacted>&spinner=a"), ("=\u{301}a", "=\u{301}a"),
            ("password=\u{301}s3cret", "password=<redacted>"),
            ("data={\"token\":\"s3;cret\"}", "data=%7B%22token%22%3A%22%3Credacted%3E%22%7D"),
            (
                "u=https%3A%2F%2Fh%2F%3Fa%3Db%26token%3Ds3cret&c=d", "u=https%3A//h/?a%3Db%26token%3Dredacted&c=d"
            ),
            ("u=https%253A%252F%252Fada%253As3cret%2540h", "u=https%253A//redacted%253Aredacted%2540h"),
            ("a=b%20c&d=%", "a=b%20c&d=%"), ("SAMLResponse=s3cret", "SAMLResponse=<redacted>"),
            ("client_assertion=s3cret&a", "client_assertion=<redacted>&a"),
            ("assertion=s3cret", "assertion=<redacted>"),
            ("PHPSESSID=s3cret", "PHPSESSID=<redacted>"), ("code_verifier=s3cret", "code_verifier=<redacted>"),
        ]
    )
    func forms(text: String, shown: String) {
        #expect(content(text, "application/x-www-form-urlencoded") == shown)
        // Plain text without blanks may be a form.
        if text.contains("password=s3cret") { #expect(!content(text, "text/plain").contains("s3cret")) }
    }

    @Test(
        "Redacted URLs contain no secret in any part",
        arguments: [
            ("https://h.test/a;jsessionid=s3cret/b;v=1?c=d", "https://h.test/a;jsessionid=redacted/b;v=1?c=d"),
            ("https://h.test/?code=s3cret&state=1", "https://h.test/?code=redacted&state=1"),
            ("https://h.test/cb#code=s3cret&a=b", "https://h.test/cb#code=redacted&a=b"),
            ("https://h.test/#/route?token=s3cret", "https://h.test/#/route?token=redacted"),
            ("https://h.test/?a=1;token=s3cret;b", "https://h.test/?a=1;token=redacted"),
            ("https://h.test/?token=s3/cr?et#x", "https://h.test/?token=redacted#x"),
            ("https://token@h.test/code=1/monkey=2", "https://redacted@h.test/code=1/monkey=2"),
            ("https://h.test/page=1/token=s3cret/a=b", "https://h.test/page=1/token=redacted/a=b"),
            ("https://h.test/https%3A%2F%2Fada%3As3cret%40i", "https://h.test/https%3A//redacted%3Aredacted%40i"),
            ("https://h.test/?u=http://ada:s3cret@i/&b=c", "https://h.test/?u=http://redacted:redacted@i/&b=c"),
            ("https://h.test/a%20b?c=%2F&d=e%3Df", "https://h.test/a%20b?c=%2F&d=e%3Df"),
        ]
    )
    func urls(text: String, shown: String) throws {
        #expect(rule.text(of: try #require(URL(string: text))) == shown)
        #expect(value("Location", text) == shown)
        #expect(Redaction.none.text(of: try #require(URL(string: text))) == text)
    }

    @Test(
        "Redacted fields contain no secret, also in their URLs",
        arguments: [
            (
                "Link", "</a?token=s3cret>; rel=\"next\", <b?c=d&sig=s3cret>",
                "</a?token=redacted>; rel=\"next\", <b?c=d&sig=redacted>"
            ),
            ("Refresh", "5; url=https://h/?code=s3cret", "5; url=https://h/?code=redacted"),
            ("X-Original-URL", "/a?token=s3cret&b=c", "/a?token=redacted&b=c"),
            ("Destination", "https://ada:s3cret@h/dav", "https://redacted:redacted@h/dav"),
            ("X-Anything", "a=1;token=\"s3 cr;et\"", "a=1;token=redacted"),
            ("X-Anything", "token=s3/cret", "token=redacted"),
            ("Report-To", #"{"url":"https://h/?token=s3cret"}"#, #"{"url":"https://h/?token=redacted"}"#),
            ("Sec-WebSocket-Protocol", "chat, bearer, s3cret", "<redacted>"),
            ("sec-websocket-protocol", "base64url.bearer.authorization.k8s.io.s3cret, v4.channel.k8s.io", "<redacted>"),
            ("Sec-WebSocket-Protocol", "access_token, s3cret", "<redacted>"),
            ("Sec-WebSocket-Protocol", "eyJhbGciOiJub25lIn0.s3cret.", "<redacted>"),
            ("Sec-WebSocket-Protocol", "chat, bearer\u{301}, s3cret", "<redacted>"),
            ("Sec-WebSocket-Protocol", "chat,eyJ\u{301}.s3cret", "<redacted>"),
            ("Sec-WebSocket-Protocol", "graphql-transport-ws, mqtt", "graphql-transport-ws, mqtt"),
            (
                "WWW-Authenticate", "Bearer realm=\"a b\", error=\"invalid_token\"",
                "Bearer realm=\"a b\", error=\"invalid_token\""
            ),
            ("Cache-Control", "max-age=60, private", "max-age=60, private"),
            ("Content-Disposition", "attachment; filename=\"a=b.txt\"", "attachment; filename=\"a=b.txt\""),
        ]
    )
    func fields(name: String, text: String, shown: String) {
        #expect(value(name, text) == shown)
        let printed = "\(HTTPHeaders([HTTPHeaders.Field(name: name, value: text)]))"
        #expect(!printed.contains("s3"), "\(printed)")
        #expect(Redaction.none.value(of: .init(name: name, value: text)) == text)
    }

    @Test(
        "Content whose type has an accent is redacted like content without the accent",
        arguments: ["application/json\u{301}", "multipart/\u{301}mixed", "application/x-ndjson\u{FE0F}"]
    )
    func accents(type: String) { #expect(content("{\"token\":\"s3cret\"", type) == "<redacted>") }

    @Test(
        "Redacted parts of multipart content contain no secret",
        arguments: [
            "Content-Disposition: form-data; NAME=\"password\"",
            "content-disposition: form-data; name*=utf-8''p%61ssword",
            "Content-Disposition: form-data; name = password", "Content-Disposition: form-data;\r\n name=\"to\\ken\"",
            "Content-Disposition: form-data; name*0=password", "Content-Disposition: form-data; name=code",
            "Content-Disposition: form-data; name=code;\u{301}a",
            "Content-Disposition: form-data; name=\"\u{301} password\"",
        ]
    )
    func parts(field: String) {
        let type = "multipart/form-data; boundary=\"b=\""
        let text =
            "--b=\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b=\r\n\(field)\r\n\r\ns3cret\r\n--b=--\r\n"
        #expect(content(text, type) == "<redacted>")
        let harmless = text.replacing(field, with: "Content-Disposition: form-data; name=\"b\"; filename=\"token.txt\"")
        #expect(content(harmless, type) == harmless)
    }

    @Test("Parts with a type are printed without their secrets")
    func typedParts() {
        let text = """
            preamble\r
            --b\r
            Content-Type: application/json\r
            \r
            {"token":"s3cret"}\r
            --b\r
            CONTENT-TYPE: multipart/mixed; boundary=c\r
            \r
            --c\r
            \r
            {"pin":"s3cret"}\r
            --c\r
            content-type: image/png\r
            \r
            a=b\r
            --c--\r
            \r
            --b--\r

            """
        let shown = text.replacing("\"s3cret\"", with: "\"<redacted>\"")
        #expect(content(text, "multipart/related; boundary=b; type=\"application/json\"") == shown)
        #expect(content(text, "multipart/related") == "<redacted>")
    }

    @Test(
        "Content without secrets stays the same, byte for byte",
        arguments: [
            ("application/json", #"{"code":404,"error":{"code":"not_found"},"country_code":"de"}"#),
            (
                "application/json",
                #"{ "spinner": 1.50, "opinion": "x=1", "mail": "ada@h.test", "n": 1e4 }"#
            ),
            ("application/json", #"{"url":"https://h.test/?page=2&q=a%20b","text":"5 % of code=7"}"#),
            ("text/plain", "key = value, and token=1 stands in a sentence"), ("text/plain", "[a] {b}"),
            ("text/html", "<a href=\"/?token=1\">"), ("image/png", "\u{89}PNG token=1"), ("text/csv", "token=1,a"),
            ("application/x-www-form-urlencoded", "a=b&&c&=d&e=f=g&h=%zz"), ("application/x-ndjson", "1\n\n\"a\"\r\n"),
            ("text/event-stream", ":\n\ndata\ndata:\n\nevent: a\ndata: 1\ndata: 2"),
        ]
    )
    func readable(type: String, text: String) { #expect(content(text, type) == text) }

    @Test("A secret is hidden however often it is encoded", arguments: 1...12)
    func depth(count: Int) {
        var (url, json) = ("https://h/?token=s3cret", #"{"token":"s3cret"}"#)
        for _ in 0..<count {
            url = "https://h/?u=" + url.utf8.map { String(format: "%%%02x", $0) }.joined()
            if count < 8 {
                json = "[" + String(decoding: (try? JSONEncoder().encode(json)) ?? Data(), as: UTF8.self) + "]"
            }
            if url.utf8.count > 1 << 17 { break }
        }
        var shown = rule.text(url)
        for _ in 0..<count { shown = shown.removingPercentEncoding ?? shown }
        #expect(!shown.contains("s3cret"))
        #expect(!content(json, "application/json").contains("s3cret"))
        let nested = String(repeating: "[", count: 100_000)
        #expect(content(nested, "application/json") == "<redacted>")
    }

    /// Returns content with its secrets hidden, by a thread with a small stack.
    private func contentOnSmallStack(_ text: String) async -> String {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: content(text, "application/json")) }
            thread.stackSize = 192 << 10
            thread.start()
        }
    }

    @Test(
        "JSON of any depth is printed or hidden as a whole, on a small stack",
        arguments: [1, 63, 64, 65, 500, 512, 513, 5000]
    )
    func deepJSON(_ depth: Int) async {
        for (opening, closing, levels) in [("[", "]", 1), (#"{"a":"#, "}", 1), (#"[{"a":1,"b":"#, "}]", 2)] {
            let count = max(1, depth / levels)
            let (begin, end) = (String(repeating: opening, count: count), String(repeating: closing, count: count))
            let shown = await contentOnSmallStack(begin + "1" + end)
            #expect(shown == (count * levels <= 64 ? begin + "1" + end : "<redacted>"))
            let hidden = await contentOnSmallStack(begin + #"{"token":"s3cret"}"# + end)
            #expect(!hidden.contains("s3cret"))
            #expect(await contentOnSmallStack(begin) == "<redacted>")
        }
    }

    @Test("Deep JSON within strings of deep JSON is redacted on a small stack", arguments: [1, 8, 63])
    func deepJSONInStrings(_ depth: Int) async throws {
        let (begin, end) = (String(repeating: "[", count: depth), String(repeating: "]", count: depth))
        var json = #"{"token":"s3cret"}"#
        for _ in 0..<7 {
            json = begin + String(decoding: try JSONEncoder().encode(json), as: UTF8.self) + end
            #expect(await !contentOnSmallStack(json).contains("s3cret"))
        }
    }

    @Test("Added names are hidden everywhere, and without the standard rule only these names")
    func names() {
        let own = Redaction.none.hiding(["iban", ""])
        #expect(own.text("/a?iban=s3cret&token=1;IBAN=s3cret&=x") == "/a?iban=redacted&token=1;IBAN=redacted&=redacted")
        #expect(own.text("https://ada:b@h/;c") == "https://ada:b@h/;c")
        #expect(own.value(of: .init(name: "Sec-WebSocket-Protocol", value: "bearer, a")) == "bearer, a")
        #expect(own.content(Data("iban=1&code=2".utf8), type: nil) == Data("iban=<redacted>&code=2".utf8))
    }

    @Test(
        "Names of secrets are recognized in every spelling",
        arguments: [
            ("pin", true), ("user.PIN", true), ("spinner", false), ("opinion", false), ("pinned", false),
            ("code", false),
            ("SAMLResponse", true), ("saml_response", true), ("samlRequest", false), ("PHPSESSID", true),
            ("jsessionid", true),
            ("client-assertion", true), ("assertions", false), ("deviceCode", true), ("status_code", false),
            ("passcode", true),
            ("authkey", true), ("appkey", true), ("signingkey", true), ("masterkey", true), ("passkey", true),
            ("totp", true), ("bearer", true), ("ticket", true), ("pw", true), ("creds", true), ("recovery_codes", true),
            ("recoveryCode", true), ("backup-codes", true), ("X-Ticket", true), ("alf_ticket", true), ("DPoP", true),
            ("token\u{301}", true), ("to\u{301}ken", true), ("tóken", true), ("pass\u{200B}word", true),
            ("x-api-key\u{301}", true), ("pin\u{301}", true),
            ("author", false), ("authors", false), ("keyboard", false), ("appkeyboard", false), ("monkey", false),
            ("hockey", false), ("passkeys_supported", false), ("bearing", false), ("bearerFormat", false),
            ("ticket_id", false), ("ticketNumber", false), ("tickets", false), ("ticketing", false), ("pwa", false),
            ("credits", false), ("accredited", false), ("recovery_email", false), ("postal_codes", false),
            ("error_codes", false), ("toping", false), ("spin\u{301}", false), ("clé", false),
        ]
    )
    func spelling(name: String, isHidden: Bool) { #expect(rule.hides(name) == isHidden) }

    @Test(
        "If a member has the name of a secret, the value beside it is hidden",
        arguments: [
            (#"{"name":"password","value":"s3cret","n":1}"#, #"{"name":"password","value":"<redacted>","n":1}"#),
            (#"[{"value":{"a":"s3cret"},"Name":"X-Api-Key"}]"#, #"[{"value":"<redacted>","Name":"X-Api-Key"}]"#),
            (#"{"key":"api_key","value":["s3cret"]}"#, #"{"key":"<redacted>","value":"<redacted>"}"#),
            (#"{"type":"password","value":"s3cret"}"#, #"{"type":"password","value":"<redacted>"}"#),
            (
                #"[["Authorization","Bearer s3cret"],["Accept","*/*"]]"#,
                #"[["Authorization","<redacted>"],["Accept","*/*"]]"#
            ),
            (
                #"{"headers":["Authorization: Bearer s3cret","Accept: a"]}"#,
                #"{"headers":["Authorization: redacted","Accept: a"]}"#
            ),
            (
                #"{"raw":"GET / HTTP/1.1\r\nX-Api-Key:s3 cret\r\nHost: h\n\nx"}"#,
                #"{"raw":"GET / HTTP/1.1\r\nX-Api-Key:redacted\r\nHost: h\n\nx"}"#
            ),
            (
                #"{"c":"curl -H 'Cookie: a=s3cret; b' -H \"Token: s3cret\" u"}"#,
                #"{"c":"curl -H 'Cookie: redacted' -H \"Token: redacted\" u"}"#
            ),
            (#"{"c":"password: s3cret"}"#, #"{"c":"password: redacted"}"#),
        ]
    )
    func named(text: String, shown: String) {
        #expect(content(text, "application/json") == shown)
        #expect(content(text, nil) == shown)
    }

    @Test(
        "Values and lines with other names stay the same",
        arguments: [
            #"{"name":"color","value":"red"}"#, #"{"name":"the password of Ada","value":"x"}"#,
            #"{"name":"password","hint":"a pet"}"#, #"{"required":["password","email"]}"#,
            #"[["password","email"],"a"]"#, #"{"message":"password: is too short"}"#, #"{"a":"Date: today\nHost: h"}"#,
            #"{"a":"https://h/","b":"12:30","c":"key:asc","d":"it's: a","e":"Authorization:"}"#,
        ]
    )
    func innocent(text: String) { #expect(content(text, "application/json") == text) }

    @Test("A text with header lines is printed without their secrets")
    func messages() {
        let message = "GET / HTTP/1.1\r\nAuthorization: Basic s3cret\r\nHost: h.test\r\n\r\n"
        let shown = message.replacing("Basic s3cret", with: "redacted")
        #expect(content(message, "message/http") == shown && content(message, "text/plain") == shown)
        #expect(content("<p>Authorization: x</p>", "text/html") == "<p>Authorization: x</p>")
        #expect(value("X-Echo", "Authorization: Bearer s3cret") == "Authorization: redacted")
    }

    @Test("Added names are also hidden with an accent")
    func accentsOfNames() {
        let own = Redaction.none.hiding(["iban", "Num\u{E9}ro"])
        #expect(own.hides("iban\u{301}") && own.hides("NUMERO") && own.hides("nume\u{301}ro") && !own.hides("ibans"))
    }

    @Test("Errors and managers print no secret of a URL or of the base URL")
    func printed() throws {
        let url = try #require(URL(string: "https://h.test/a;jsessionid=s3cret"))
        let error = LarkspurError(.invalidURL, "x", failingURL: url)
        #expect(!"\(error) \(error as NSError) \((error as NSError).userInfo)".contains("s3cret"))
        let manager = SessionManager(baseURL: URL(string: "https://ada:s3cret@h.test/"))
        #expect(!"\(manager)".contains("s3cret"))
        for text in ["http://ada:s3#cret@h h/", "http://ada:s3cret@h h/", "http://h h/;sid=s3cret"] {
            let error = #expect(throws: LarkspurError.self) { try BaseURL.resolve(text, against: nil) }
            #expect(error.map { "\($0)".contains("s3") } == false)
        }
    }
}
