import TestSupport
import Testing

@testable import Larkspur

@Suite("Redaction of secrets in XML", .seeded)
struct XMLRedactionTests {
    private func content(_ text: String, _ type: String? = "text/xml") -> String {
        String(decoding: Redaction.standard.content(Data(text.utf8), type: type), as: UTF8.self)
    }

    @Test(
        "Elements and attributes with the names of secrets are hidden",
        arguments: [
            (
                "<R><SecretAccessKey>s3cret</SecretAccessKey><Expiration>2026</Expiration></R>",
                "<R><SecretAccessKey>redacted</SecretAccessKey><Expiration>2026</Expiration></R>"
            ),
            ("<a:token xmlns:a='token'>s3cret</a:token >", "<a:token xmlns:a='token'>redacted</a:token >"),
            ("<token:a>b</token:a>", "<token:a>b</token:a>"),
            ("<a xmlns:auth=\"urn:a\" b='1'/>", "<a xmlns:auth=\"urn:a\" b='1'/>"),
            ("<SESSION_TOKEN\n>s3cret</SESSION_TOKEN\n>", "<SESSION_TOKEN\n>redacted</SESSION_TOKEN\n>"),
            ("<a token=\"s3cret\" b=\"1\"/>", "<a token=\"redacted\" b=\"1\"/>"),
            ("<a n:pin = 's3\"cret' b='1'>c</a>", "<a n:pin = 'redacted' b='1'>c</a>"),
            ("<pin/><a>b</a>", "<pin/><a>b</a>"), ("<pin></pin>", "<pin>redacted</pin>"),
            ("<keys><token a='s3cret'>s3cret</token></keys>", "<keys><token a='s3cret'>redacted</token></keys>"),
            ("<tok\u{E9}n>s3cret</tok\u{E9}n>", "<tok\u{E9}n>redacted</tok\u{E9}n>"),
            ("<code>404</code>", "<code>404</code>"),
        ]
    )
    func names(text: String, shown: String) {
        // The attribute of a hidden element is not hidden, unless its own name is that of a secret.
        for type in ["text/xml", "application/xml; charset=utf-8", "application/soap+xml", "text/plain", nil] {
            #expect(content(text, type) == shown)
        }
        #expect(content("<?xml version=\"1.0\"?>" + text, "a/b") == "<?xml version=\"1.0\"?>" + shown)
        #expect(content("\u{FEFF} " + text) == "\u{FEFF} " + shown)
        #expect(Redaction.none.content(Data(text.utf8), type: "text/xml") == Data(text.utf8))
    }

    @Test(
        "A hidden element ends at its end tag, and at the end of the document if its content is not well-formed",
        arguments: [
            ("s3cret", true), ("<token>s3cret</token>", true), ("<!-- </token> -->s3cret", true),
            ("<![CDATA[s3cret</token>]]>s3cret", true), ("<?a </token>?>s3cret", true), ("<a b=\"/>\"/>s3cret", true),
            ("&lt;/token&gt;s3cret", true), ("<a:b></a:b>s3cret", true), ("s3cret]]>", true), ("s3cret&#", true),
            ("", true), ("<a>s<b>3</b></a>c<c/><d e='</token>'/>", false), ("<a></token>s3cret", false),
            ("</a>s3cret", false), ("<a b=c></a>s3cret", false), ("<a b></a>s3cret", false),
            ("a < b s3cret", false), ("<!DOCTYPE a>s3cret", false), ("<!ENTITY a 's3cret'>", false),
            ("<a b='1'c='2'/>s3cret", false), ("</ token>s3cret", false), ("</Token>s3cret", false),
            ("<!-- s3cret", false), ("<![CDATA[ s3cret", false), ("<? s3cret", false), ("<a b='s3cret", false),
            ("s3cret</tok", false), ("s3cret</token a='1'>s3cret", false), ("s3cret</token", false),
            ("<!-->s3cret", false),
        ]
    )
    func ends(inner: String, isWellFormed: Bool) {
        let shown = content("<r><token>\(inner)</token><x>y</x></r>")
        #expect(shown == "<r><token>redacted" + (isWellFormed ? "</token><x>y</x></r>" : ""))
        for count in 0..<inner.utf8.count {
            let cut = String(decoding: Array(inner.utf8.prefix(count)), as: UTF8.self)
            #expect(content("<r><token>\(cut)") == "<r><token>redacted")
        }
    }

    @Test(
        "Malformed tags reveal no secret",
        arguments: [
            ("<a token=s3cret b=1>c", "<a redacted>c"), ("<a token=s3 cret>c", "<a redacted>c"),
            ("<a token=\"s3cret", "<a redacted"), ("<a token=\"", "<a redacted"),
            ("<a token=s3cr", "<a redacted"), ("<a b=\"1 token=\" s3cret\">c", nil),
            ("<a b=\" ><token>s3cret</token>", nil), ("<a b=\"x\"><c d=\"><token>s3cret</token>", nil),
            ("<a token=\" b=\"s3cret\">", nil), ("<a <token>s3cret</token>", nil), ("<token <b>s3cret</b>", nil),
            ("<token b \"c\">s3cret", nil), ("</a token='s3cret'>", "</a redacted>"),
            ("<token/ >s3cret", nil), ("<token b=c/>s3cret", nil), ("<token", "<token"), ("<token>", "<token>redacted"),
            ("<a https://ada:s3cret@h/>", nil), ("<https://h/?token=s3cret>", nil),
            ("<a b=https://h/?token=s3cret>", nil),
            ("<>s3 < 4</>", "<>s3 < 4</>"), ("< token>s</ token>", "< token>s</ token>"), ("a <1> b", "a <1> b"),
        ] as [(String, String?)]
    )
    func malformed(text: String, shown: String?) {
        let result = content(text)
        #expect(shown.map { $0 == result } ?? !result.contains("cret"), "\(result)")
    }

    @Test(
        "Comments, instructions and document types reveal no secret",
        arguments: [
            ("<a><!-- <token>s3cret</token> --><b>c</b></a>", "<a><!-- <token>redacted</token> --><b>c</b></a>"),
            ("<!-- <token> --><b>c</b>", "<!-- <token>redacted--><b>c</b>"),
            ("<!-- a=1 & b --><b/>", "<!-- a=1 & b --><b/>"),
            ("<!-- token=s3cret -->", "<!-- token=redacted -->"), ("<!-- <token>s3cr", "<!-- <token>redacted"),
            ("<?xml version=\"1.0\" encoding='a'?><b/>", "<?xml version=\"1.0\" encoding='a'?><b/>"),
            ("<?a token=\"s3cret\"?>", "<?a token=redacted?>"), ("<?token s3cret?><b/>", "<?tokenredacted?><b/>"),
            ("<!DOCTYPE a SYSTEM 'https://h/'><b/>", "<!DOCTYPE a SYSTEM 'https://h/'><b/>"),
            ("<!DOCTYPE a [<!ENTITY b 's3cret'>]><a>&b;</a>", "redacted"), ("<!ENTITY b 's3cret'>", "redacted"),
            ("<!doctype a \"b>\" [<!ENTITY b 's3cret'>", "<!doctype a \"b>\" [redacted"),
            ("<a/><![IGNORE[s3cret", "<a/>redacted"),
        ]
    )
    func markup(text: String, shown: String) { #expect(content(text) == shown) }

    @Test(
        "If the name of a secret is beside a value, the value is hidden",
        arguments: [
            ("<add key=\"password\" value=\"s3cret\"/>", "<add key=\"redacted\" value=\"redacted\"/>"),
            ("<add value=\"s3cret\" name=\"&#x70;in\"/>", "<add value=\"redacted\" name=\"&#x70;in\"/>"),
            ("<add value=\"s3cret\" name=\"pas", "<add value=\"redacted\" name=\"pas"),
            ("<s name='api_key'>s3cret</s>", "<s name='api_key'>redacted</s>"),
            ("<s name='color'>red</s>", "<s name='color'>red</s>"),
            ("<t><Name>pin</Name><Value>s3cret</Value></t>", "<t><Name>pin</Name><Value>redacted</Value></t>"),
            ("<t><Value>s3cret</Value><Name>pin</Name></t>", "<t><Value>redacted</Value><Name>pin</Name></t>"),
            ("<t><Value>s3cret</Value><Name>pi", "<t><Value>redacted</Value><Name>pi"),
            ("<t><Value>s3cret</Value><key>passwor", "<t><Value>redacted</Value><key>redacted"),
            ("<t><Value>s3cr", "<t><Value>redacted"),
            ("<t><Name>a pin</Name><Value>b</Value></t>", "<t><Name>a pin</Name><Value>b</Value></t>"),
            ("<t><Value>1</Value></t><Value>2</Value>", "<t><Value>1</Value></t><Value>2</Value>"),
            (
                "<dict><key>pass<![CDATA[word]]></key><string>s3cret</string><true/></dict>",
                "<dict><key>redacted</key><string>redacted</string><true/></dict>"
            ),
        ]
    )
    func labels(text: String, shown: String) { #expect(content(text) == shown) }

    @Test(
        "Texts and values that are encoded are redacted",
        arguments: [
            ("<a>https://h/?b=1&amp;token=s3cret&amp;c</a>", "<a>https://h/?b=1&amp;token=redacted&amp;c</a>"),
            ("<a b='https://h/?tok&#101;n=s3cret'/>", "<a b='https://h/?token=redacted'/>"),
            ("<a>{\"token\":\"s3cret\",\"b\":\"<c>\"}</a>", nil),
            ("<a>[{\"token\":\"s3cret\",\"b\":\"&lt;c>\"}]</a>", nil),
            ("<a>&lt;token&gt;s3cret&lt;/token&gt;</a>", "<a>&lt;token&gt;redacted&lt;/token&gt;</a>"),
            ("<a>&#60;token>s3cret&#x3C;/token></a>", "<a>&lt;token&gt;redacted&lt;/token&gt;</a>"),
            ("<a><![CDATA[b <token>s3cret</token>]]></a>", "<a><![CDATA[b <token>redacted</token>]]></a>"),
            ("<a>&lt;token<![CDATA[>]]><!-- b -->s3cret</a>", nil), ("<a>tok<![CDATA[en=s3]]>cret</a>", nil),
            ("<a b='&lt;token>s3cret'/>", "<a b='&lt;token&gt;redacted'/>"), ("<a>&lt;b&gt; &amp;c; &#; &#xZ;</a>", ""),
            ("<a>&#99999999999999;&#xD800;&lt;3</a>", ""), ("<a>x &lt; y > z</a>", ""), ("<a>key = value</a>", ""),
            ("<pre>Authorization: Bearer s3cret</pre>", "<pre>Authorization: redacted</pre>"),
        ] as [(String, String?)]
    )
    func encoded(text: String, shown: String?) {
        let result = content(text)
        if let shown { #expect(result == (shown.isEmpty ? text : shown)) }
        #expect(!result.contains("s3cret"), "\(result)")
        // XML within other formats is redacted, too.
        let json = String(decoding: (try? JSONEncoder().encode([text])) ?? Data(), as: UTF8.self)
        #expect(!content(json, "application/json").contains("s3cret"))
        let form = "a=" + (text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        #expect(!content(form, "application/x-www-form-urlencoded").contains("s3cret"))
        var nested = text
        for _ in 0..<6 { nested = "<b>" + nested.replacing("&", with: "&amp;").replacing("<", with: "&lt;") + "</b>" }
        #expect(!content(nested).contains("s3cret"))
    }

    @Test("Content with the type of XML that is not XML is read as JSON or plain text, or hidden")
    func others() {
        #expect(content(#"{"token":"s3cret"}"#) == #"{"token":"<redacted>"}"#)
        #expect(content(#"[{"token":"s3cret", "a":"<b>"#) == "<redacted>")
        #expect(
            content("Not found") == "Not found" && content("") == ""
                && content("a=1&token=s3cret") == "a=1&token=redacted"
        )
        for encoding in [String.Encoding.utf16, .utf16BigEndian, .utf32LittleEndian] {
            let data = "<token>s3cret</token>".data(using: encoding) ?? Data()
            #expect(Redaction.standard.content(data, type: "text/xml") == Data("<redacted>".utf8))
        }
        #expect(content("<a>\u{1B}$B</a>") == "<redacted>")
        #expect(
            Redaction.standard.content(Data([0x4C, 0xA3, 0x96, 0x92]), type: "text/xml") == Data("<redacted>".utf8)
        )
        #expect(content("<token>a</token>", "text/html") == "<token>a</token>")
        let own = Redaction.none.hiding(["iban"])
        #expect(
            own.content(Data("<a><IBAN>1</IBAN><token>2</token></a>".utf8), type: "text/xml")
                == Data("<a><IBAN>redacted</IBAN><token>2</token></a>".utf8)
        )
    }

    @Test("The signatures of chunks are hidden")
    func chunks() {
        let text = "5;chunk-signature=0aF1\r\na;b=c\r\n0;chunk-signature=12\r\n\r\n"
        let shown = "5;chunk-signature=redacted\r\na;b=c\r\n0;chunk-signature=redacted\r\n\r\n"
        for type in ["application/octet-stream", "text/plain"] { #expect(content(text, type) == shown) }
        #expect(!content(text, "application/json").contains("0aF1") && !content(text).contains("0aF1"))
        #expect(content("chunk-signature=1", "image/png") == "chunk-signature=1")
    }

    @Test("Random XML is redacted as a model says, and reveals no secret if it is cut off at any byte")
    func random() {
        var generator = XMLGenerator(random: SeededGenerator(48))
        var count = 0
        for number in 0..<2_000 {
            let document = generator.document()
            #expect(content(document.text) == document.shown, "\(number)")
            count += document.text.contains(XMLGenerator.canary) ? 1 : 0
            let bytes = Array(document.text.utf8)
            for _ in 0..<20 {
                let cut = bytes.prefix(Int.random(in: 0...bytes.count, using: &generator.random))
                let shown = Redaction.standard.content(Data(cut), type: "application/xml")
                let text = String(decoding: shown, as: UTF8.self)
                #expect(
                    !text.contains(XMLGenerator.canary),
                    "\(number): \(String(decoding: cut, as: UTF8.self)) gives \(text)"
                )
            }
        }
        // Otherwise there was nothing to find.
        #expect(count > 1_000)
    }
}

/// Random XML with a secret at some places, and the text that is expected after the redaction.
struct XMLGenerator {
    typealias Sample = (text: String, shown: String)

    static let canary = "c4n4ry"
    private static let secrets = [
        "SecretAccessKey", "SessionToken", "token", "PASSWORD", "client-secret", "n:pin", "Credentials", "n:x.sig",
    ]
    private static let harmless = ["a", "Page", "AssumeRoleResult", "n:Arn", "x-y", "\u{E9}t\u{E9}"]

    var random: SeededGenerator

    mutating func document() -> Sample {
        let root = element(3)
        return joined([("<?xml version=\"1.0\"?>\n", "<?xml version=\"1.0\"?>\n"), root, ("\n", "\n")])
    }

    private mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &random)] }

    private func joined(_ samples: [Sample]) -> Sample {
        (samples.map(\.text).joined(), samples.map(\.shown).joined())
    }

    private func same(_ text: String) -> Sample { (text, text) }

    private mutating func blank() -> String { pick([" ", "\n", "\t ", "  "]) }

    /// Text without a secret.
    private mutating func prose() -> String {
        pick(["", "1", "a b", "\n  ", "&amp;c;", "&lt;3", "&#x263A; \u{E9}", "a > b", "5 %", "404: x"])
    }

    private mutating func attributes() -> Sample {
        var samples: [Sample] = []
        for number in 0..<Int.random(in: 0...2, using: &random) {
            let quote = pick(["\"", "'"])
            let isSecret = pick([true, false])
            let start = blank() + (isSecret ? pick(Self.secrets) : "b\(number)") + pick(["=", " = "]) + quote
            let secret = pick(["", "&lt;", "/>", "="]) + Self.canary + pick(["", "\n", quote == "'" ? "\"" : "'"])
            let value = isSecret ? secret : prose()
            samples.append((start + value + quote, start + (isSecret ? "redacted" : value) + quote))
        }
        return joined(samples)
    }

    /// The content of an element that is hidden.
    private mutating func hidden(_ depth: Int) -> String {
        let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ -> String in
            let word = Self.canary
            return switch Int.random(in: 0..<7, using: &random) {
            case 0: "<![CDATA[</token>\(word)<a>]]>"
            case 1: "<!-- </token> \(word) -->"
            case 2: "<?a \(word)?>"
            case 3: "<a b='\(word)' c=\"/>\"/>"
            case 4 where depth > 0: "<\(word)>\(hidden(depth - 1))</\(word)>"
            case 5 where depth > 0: "<token>\(hidden(depth - 1))</token>"
            default: prose() + word + prose()
            }
        }
        return parts.joined()
    }

    private mutating func element(_ depth: Int) -> Sample {
        let word = Self.canary
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2:
            let name = pick(Self.secrets)
            let attributes = attributes()
            let end = "</\(name)\(pick(["", " "]))>"
            return (
                "<\(name)\(attributes.text)>\(hidden(2))\(end)", "<\(name)\(attributes.shown)>redacted\(end)"
            )
        case 3:
            let value = pick(["value", "val", "Data"])
            return pick([true, false])
                ? ("<add key='pin' \(value)='\(word)'/>", "<add key='redacted' \(value)='redacted'/>")
                : ("<add \(value)='\(word)' name='pin'/>", "<add \(value)='redacted' name='pin'/>")
        case 4:
            let (name, value) = ("<Name>api_key</Name>", "<Value>\(word)</Value>")
            let parts = pick([true, false]) ? name + value : value + name
            return ("<t>\(parts)</t>", "<t>\(parts.replacing(word, with: "redacted"))</t>")
        case 5:
            let text = pick([
                "<![CDATA[<token>\(word)</token>]]>", "&lt;token&gt;\(word)&lt;/token&gt;",
                "https://h/?token=\(word)&amp;a=b",
            ])
            return ("<a>\(text)</a>", "<a>\(text.replacing(word, with: "redacted"))</a>")
        case 6:
            let text = "<s name='password'>\(hidden(1))</s>"
            return (text, "<s name='password'>redacted</s>")
        default:
            let name = pick(Self.harmless)
            let attributes = attributes()
            guard depth > 0 else {
                return joined([same("<\(name)"), attributes, same(pick(["/>", "\n/>", "></\(name)>"]))])
            }
            let children = (0..<Int.random(in: 0...4, using: &random)).flatMap { _ -> [Sample] in
                [same(prose()), pick([true, false]) ? element(depth - 1) : other()]
            }
            return joined([same("<\(name)"), attributes, same(">")] + children + [same("</\(name)>")])
        }
    }

    /// Markup that is no element.
    private mutating func other() -> Sample {
        let word = Self.canary
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: ("<!-- <pin>\(word)</pin> -->", "<!-- <pin>redacted</pin> -->")
        case 1: same("<!-- a - b -->")
        case 2: same("<?a b?>")
        default: same("<![CDATA[ a & b ]]>")
        }
    }
}
