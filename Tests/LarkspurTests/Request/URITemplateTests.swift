import HTTPSyntax
import Testing

@testable import Larkspur

@Suite("URI templates")
struct URITemplateTests {
    /// The values of RFC 6570, section 3.2.
    private static var values: [String: Any?] {
        [
            "count": ["one", "two", "three"], "dom": ["example", "com"], "dub": "me/too", "hello": "Hello World!",
            "half": "50%", "var": "value", "who": "fred", "base": "http://example.com/home/", "path": "/foo/bar",
            "list": ["red", "green", "blue"], "keys": ["semi": ";", "dot": ".", "comma": ","] as KeyValuePairs,
            "v": "6", "x": 1024, "y": 768, "empty": "", "empty_keys": [:] as KeyValuePairs<String, String>,
            "undef": nil, "semi": ";", "year": ["1965", "2000", "2012"], "username": "fred", "term": "cat",
            "address": ["city": "Newport Beach", "state": "CA"] as KeyValuePairs,
        ]
    }

    /// The values of the first, the third, the fourth, the fifth and the sixth group of the additional examples.
    private static var additionalValues: [String: Any?] {
        [
            "id": "person", "ids": ["person", "albums"], "token": "12345", "fields": ["id", "name", "picture"],
            "format": "json", "q": "URI Templates", "page": "5", "lang": "en", "geocode": ["37.76", "-122.427"],
            "first_name": "John", "last.name": "Doe", "Some%20Thing": "foo", "number": 6, "long": 37.76,
            "lat": -122.427, "group_id": "12345", "query": "SELECT ?who WHERE { ?book dc:creator ?who }",
            "uri": "http://example.org/?uri=http%3A%2F%2Fexample.org%2F", "word": "drücken",
            "Stra%C3%9Fe": "Grüner Weg", "random": "šöäŸœñê€£¥‡ÑÒÓÔÕÖ×ØÙÚàáâãäåæçÿ", "assoc": ["šö": "Ö×"],
            "empty_list": [String](), "empty_assoc": [String: String](), "42": "The Answer, Everything",
            "1337": ["leet", "as", "it"], "german": ["11": "elf", "12": "zwölf"], "tab": "overview",
            "keys": ["key1": "val1", "key2": "val2"], "slash": "admin%2F", "not_pct": "%foo",
            "escapes": ["red%25", "%2Fgreen", "blue "], "slashes": ["key1": "val1%2F", "key2": "val2%2F"],
            "zero": 0, "digits": Array(0...9), "float": 3.1415,
        ]
    }

    private static func expansion(_ template: String, _ values: [String: Any?]) throws -> String {
        try PathTarget.template(template, values).reference.get().text
    }

    private static let examples: [(String, String)] = [
        // Sections 1.1 and 1.2
        ("http://example.com/~{username}/", "http://example.com/~fred/"),
        ("http://example.com/dictionary/{term:1}/{term}", "http://example.com/dictionary/c/cat"),
        ("map?{x,y}", "map?1024,768"), ("X{#var}", "X#value"), ("X{#hello}", "X#Hello%20World!"),
        ("X{.x,y}", "X.1024.768"),
        // Sections 2.4.1 and 2.4.2
        ("{var}", "value"), ("{var:20}", "value"), ("{var:3}", "val"), ("{semi}", "%3B"), ("{semi:2}", "%3B"),
        ("find{?year*}", "find?year=1965&year=2000&year=2012"), ("www{.dom*}", "www.example.com"),
        ("/mapper{?address*}", "/mapper?city=Newport%20Beach&state=CA"),
        // Section 3.1
        ("'{count}'", "'one,two,three'"), ("a%20{var}", "a%20value"), ("50%/{var}", "50%25/value"),
        ("", ""),
        // Section 3.2.1
        ("{count}", "one,two,three"), ("{count*}", "one,two,three"), ("{/count}", "/one,two,three"),
        ("{/count*}", "/one/two/three"), ("{;count}", ";count=one,two,three"),
        ("{;count*}", ";count=one;count=two;count=three"), ("{?count}", "?count=one,two,three"),
        ("{?count*}", "?count=one&count=two&count=three"), ("{&count*}", "&count=one&count=two&count=three"),
        // Section 3.2.2
        ("{hello}", "Hello%20World%21"), ("{half}", "50%25"), ("O{empty}X", "OX"),
        ("O{undef}X", "OX"), ("{x,y}", "1024,768"), ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("?{x,empty}", "?1024,"), ("?{x,undef}", "?1024"), ("?{undef,y}", "?768"),
        ("{var:30}", "value"), ("{list}", "red,green,blue"), ("{list*}", "red,green,blue"),
        ("{keys}", "semi,%3B,dot,.,comma,%2C"), ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
        // Section 3.2.3
        ("{+var}", "value"), ("{+hello}", "Hello%20World!"), ("{+half}", "50%25"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"), ("{+base}index", "http://example.com/home/index"),
        ("O{+empty}X", "OX"), ("O{+undef}X", "OX"), ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"), ("up{+path}{var}/here", "up/foo/barvalue/here"),
        ("{+x,hello,y}", "1024,Hello%20World!,768"), ("{+path,x}/here", "/foo/bar,1024/here"),
        ("{+path:6}/here", "/foo/b/here"), ("{+list}", "red,green,blue"), ("{+list*}", "red,green,blue"),
        ("{+keys}", "semi,;,dot,.,comma,,"), ("{+keys*}", "semi=;,dot=.,comma=,"),
        // Section 3.2.4
        ("{#var}", "#value"), ("{#hello}", "#Hello%20World!"), ("{#half}", "#50%25"), ("foo{#empty}", "foo#"),
        ("foo{#undef}", "foo"), ("{#x,hello,y}", "#1024,Hello%20World!,768"),
        ("{#path,x}/here", "#/foo/bar,1024/here"), ("{#path:6}/here", "#/foo/b/here"),
        ("{#list}", "#red,green,blue"), ("{#list*}", "#red,green,blue"), ("{#keys}", "#semi,;,dot,.,comma,,"),
        ("{#keys*}", "#semi=;,dot=.,comma=,"),
        // Section 3.2.5
        ("{.who}", ".fred"), ("{.who,who}", ".fred.fred"), ("{.half,who}", ".50%25.fred"),
        ("X{.var}", "X.value"), ("X{.empty}", "X."), ("X{.undef}", "X"),
        ("X{.var:3}", "X.val"), ("X{.list}", "X.red,green,blue"), ("X{.list*}", "X.red.green.blue"),
        ("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"), ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
        ("X{.empty_keys}", "X"), ("X{.empty_keys*}", "X"),
        // Section 3.2.6
        ("{/who}", "/fred"), ("{/who,who}", "/fred/fred"), ("{/half,who}", "/50%25/fred"),
        ("{/who,dub}", "/fred/me%2Ftoo"), ("{/var}", "/value"), ("{/var,empty}", "/value/"),
        ("{/var,undef}", "/value"), ("{/var,x}/here", "/value/1024/here"), ("{/var:1,var}", "/v/value"),
        ("{/list}", "/red,green,blue"), ("{/list*}", "/red/green/blue"),
        ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
        ("{/keys}", "/semi,%3B,dot,.,comma,%2C"), ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
        // Section 3.2.7
        ("{;who}", ";who=fred"), ("{;half}", ";half=50%25"), ("{;empty}", ";empty"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"), ("{;v,bar,who}", ";v=6;who=fred"), ("{;x,y}", ";x=1024;y=768"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"), ("{;x,y,undef}", ";x=1024;y=768"), ("{;hello:5}", ";hello=Hello"),
        ("{;list}", ";list=red,green,blue"), ("{;list*}", ";list=red;list=green;list=blue"),
        ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"), ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
        // Section 3.2.8
        ("{?who}", "?who=fred"), ("{?half}", "?half=50%25"), ("{?x,y}", "?x=1024&y=768"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="), ("{?x,y,undef}", "?x=1024&y=768"), ("{?var:3}", "?var=val"),
        ("{?list}", "?list=red,green,blue"), ("{?list*}", "?list=red&list=green&list=blue"),
        ("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"), ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
        // Section 3.2.9
        ("{&who}", "&who=fred"), ("{&half}", "&half=50%25"), ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{&x,y,empty}", "&x=1024&y=768&empty="), ("{&x,y,undef}", "&x=1024&y=768"), ("{&var:3}", "&var=val"),
        ("{&list}", "&list=red,green,blue"), ("{&list*}", "&list=red&list=green&list=blue"),
        ("{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"), ("{&keys*}", "&semi=%3B&dot=.&comma=%2C"),
    ]

    @Test("The examples of RFC 6570 have their expansions", arguments: examples)
    func example(template: String, expected: String) throws {
        #expect(try Self.expansion(template, Self.values) == expected)
    }

    /// The examples of the test suite that the implementations of RFC 6570 share, and those of PyPI's uritemplate.
    private static let additionalExamples: [(String, String)] = [
        ("{/id*}", "/person"),
        (
            "{/id*}{?fields,first_name,last.name,token}",
            "/person?fields=id,name,picture&first_name=John&last.name=Doe&token=12345"
        ),
        (
            "/search.{format}{?q,geocode,lang,locale,page,result_type}",
            "/search.json?q=URI%20Templates&geocode=37.76,-122.427&lang=en&page=5"
        ),
        ("/test{/Some%20Thing}", "/test/foo"), ("/set{?number}", "/set?number=6"),
        ("/loc{?long,lat}", "/loc?long=37.76&lat=-122.427"),
        (
            "/base{/group_id,first_name}/pages{/page,lang}{?format,q}",
            "/base/12345/John/pages/5/en?format=json&q=URI%20Templates"
        ),
        ("/sparql{?query}", "/sparql?query=SELECT%20%3Fwho%20WHERE%20%7B%20%3Fbook%20dc%3Acreator%20%3Fwho%20%7D"),
        ("/go{?uri}", "/go?uri=http%3A%2F%2Fexample.org%2F%3Furi%3Dhttp%253A%252F%252Fexample.org%252F"),
        ("/service{?word}", "/service?word=dr%C3%BCcken"),
        ("/lookup{?Stra%C3%9Fe}", "/lookup?Stra%C3%9Fe=Gr%C3%BCner%20Weg"),
        (
            "{random}",
            "%C5%A1%C3%B6%C3%A4%C5%B8%C5%93%C3%B1%C3%AA%E2%82%AC%C2%A3%C2%A5%E2%80%A1%C3%91%C3%92%C3%93%C3%94%C3%95"
                + "%C3%96%C3%97%C3%98%C3%99%C3%9A%C3%A0%C3%A1%C3%A2%C3%A3%C3%A4%C3%A5%C3%A6%C3%A7%C3%BF"
        ),
        ("{?assoc*}", "?%C5%A1%C3%B6=%C3%96%C3%97"), ("{/ids*}", "/person/albums"),
        ("{/ids*}{?fields,token}", "/person/albums?fields=id,name,picture&token=12345"),
        ("{/empty_list}", ""), ("{/empty_list*}", ""), ("{?empty_list}", ""), ("{?empty_list*}", ""),
        ("{?empty_assoc}", ""), ("{?empty_assoc*}", ""),
        ("{42}", "The%20Answer%2C%20Everything"), ("{?42}", "?42=The%20Answer%2C%20Everything"),
        ("{1337}", "leet,as,it"), ("{?1337*}", "?1337=leet&1337=as&1337=it"), ("{?german*}", "?11=elf&12=zw%C3%B6lf"),
        ("{?id,token,keys*}", "?id=person&token=12345&key1=val1&key2=val2"),
        ("{/id}{?token,keys*}", "/person?token=12345&key1=val1&key2=val2"),
        ("{?id,token}{&keys*}", "?id=person&token=12345&key1=val1&key2=val2"),
        ("/user{/id}{?token,tab}{&keys*}", "/user/person?token=12345&tab=overview&key1=val1&key2=val2"),
        ("{+slash}", "admin%2F"), ("{#slash}", "#admin%2F"), ("{slash}", "admin%252F"), ("{+not_pct}", "%25foo"),
        ("{#not_pct}", "#%25foo"), ("{not_pct}", "%25foo"), ("{+escapes}", "red%25,%2Fgreen,blue%20"),
        ("{#escapes}", "#red%25,%2Fgreen,blue%20"), ("{escapes}", "red%2525,%252Fgreen,blue%20"),
        ("{+slashes}", "key1,val1%2F,key2,val2%2F"), ("{#slashes}", "#key1,val1%2F,key2,val2%2F"),
        ("{slashes}", "key1,val1%252F,key2,val2%252F"),
        ("https://api.example.com/users", "https://api.example.com/users"),
        ("https://api.example.com/users{/user}", "https://api.example.com/users"),
        ("https://api.example.com/users{/id}{/token}", "https://api.example.com/users/person/12345"),
        ("{zero}", "0"), ("{digits}", "0,1,2,3,4,5,6,7,8,9"), ("{?digits,zero}", "?digits=0,1,2,3,4,5,6,7,8,9&zero=0"),
        ("{/digits}", "/0,1,2,3,4,5,6,7,8,9"), ("{/digits*}", "/0/1/2/3/4/5/6/7/8/9"), ("{/zero}", "/0"),
        ("{/zero,float}", "/0/3.1415"),
    ]

    @Test("The additional examples have their expansions", arguments: additionalExamples)
    func additionalExample(template: String, expected: String) throws {
        #expect(try Self.expansion(template, Self.additionalValues) == expected)
    }

    @Test("Elements that are nil are left out, and a collection of them is no value")
    func undefinedElements() throws {
        let lists: [([String?], String)] = [
            ([], ""), ([nil], ""), ([nil, nil], ""), (["one"], "/one"), (["one", "two"], "/one/two"),
            (["one", nil, "two"], "/one/two"), ([""], "/"), (["", ""], "//"),
        ]
        for (list, expected) in lists { #expect(try Self.expansion("{/x*}", ["x": list]) == expected) }
        let dictionaries: [([String: String?], String)] = [
            ([:], ""), (["one": ""], "/one="), (["one": "", "two": ""], "/one=/two="), (["one": nil], ""),
            (["one": nil, "two": "two"], "/two=two"), (["one": nil, "two": nil], ""),
        ]
        for (pairs, expected) in dictionaries { #expect(try Self.expansion("{/x*}", ["x": pairs]) == expected) }
        #expect(try Self.expansion("{?x*}", ["x": ["bar", "bogus"]]) == "?x=bar&x=bogus")
    }

    private enum Kind: String { case book }

    @Test("Values have the types of parameters")
    func types() throws {
        let optional: Int? = 7
        let values: [String: Any?] = [
            "a": true, "b": optional, "c": Kind.book, "d": "ab".dropFirst(), "e": Date(timeIntervalSince1970: 0),
            "f": Set(["z", "y"]), "g": ["b": 2, "a": 1], "h": Int8(-1), "i": ["y": 1, "x": 2] as KeyValuePairs,
        ]
        let text = try Self.expansion("{a}{/b,c,d,e,f,g,h,i}", values)
        #expect(text == "true/7/book/b/1970-01-01T00%3A00%3A00Z/y,z/a,1,b,2/-1/y,1,x,2")
    }

    @Test("A prefix counts code points, and a family of emoji may be divided")
    func prefixes() throws {
        #expect(try Self.expansion("{x:2}", ["x": "é\u{20AC}x"]) == "%C3%A9%E2%82%AC")
        #expect(try Self.expansion("{x:2}", ["x": "e\u{301}x"]) == "e%CC%81")
        #expect(try Self.expansion("{+x:1}", ["x": "%2F"]) == "%25")
        #expect(try Self.expansion("{x:9999}", ["x": "a"]) == "a")
    }

    @Test("Variables are found in their order")
    func names() throws {
        #expect(try URITemplate("https://api.example.com").names == [])
        #expect(
            try URITemplate("repos{/user}{/repo}/issues{?issue,page*}{&a.b:3}").names.joined(separator: " ")
                == "user repo issue page a.b"
        )
    }

    @Test(
        "Text that is not a template is an error",
        arguments: [
            // The negative tests that the implementations share.
            "{/id*", "/id*}", "{/?id}", "{var:prefix}", "{hello:2*}", "{??hello}", "{!hello}", "{with space}",
            "{ leading_space}", "{trailing_space }", "{=path}", "{$var}", "{|var*}", "{*keys?}",
            "{?empty=default,var}", "{var}{-prefix|/-/|var}", "?q={searchTerms}&amp;c={example:color?}",
            "x{?empty|foo=none}", "/h{#hello+}", "/h#{hello+}", "{;keys:1*}", "?{-join|&|var,list}",
            "/people/{~thing}", "/{default-graph-uri}", "/sparql{?query,default-graph-uri}",
            "/sparql{?query){&default-graph-uri*}", "/resolution{?x, y}",
            // Others
            "{", "}", "{}", "a{b", "a}b", "{,x}", "{@x}", "{x:0}", "{x:}", "{x:10000}", "{x:a}", "{x:01}", "{x*:3}",
            "{x:-1}", "{-x}", "{x-y}", "{.}", "{?}", "{x..y}", "{.x.}", "{x,}", "{x y}", "{%zz}", "{x%4}", "{{x}}",
            "{\0x}", "{é}", "{x**}",
        ]
    )
    func invalid(template: String) throws {
        #expect(throws: URITemplate.Defect.self) { try URITemplate(template) }
        let error = #expect(throws: LarkspurError.self) {
            try PathTarget.template(template, Self.values).requestURL(relativeTo: URL(string: "https://example.com"))
        }
        #expect(error?.code == .invalidURL)
    }

    @Test("A prefix of a list or a dictionary is an error", arguments: ["{keys:1}", "{+keys:1}", "{list:2}"])
    func prefixOfList(template: String) {
        let error = #expect(throws: LarkspurError.self) { try Self.expansion(template, Self.values) }
        #expect(error?.code == .invalidURL)
        #expect(error?.message.hasPrefix("In the template “\(template)”, a prefix of “") == true)
    }

    @Test("A value without a text is an error that names the variable")
    func unsupported() {
        struct Point {}
        let values: [(value: Any, message: String)] = [
            (Point(), "a query has no form for Point"), ([[1]], "collection within a collection"),
            (Double.nan, "not a finite number"),
        ]
        for (value, message) in values {
            let error = #expect(throws: LarkspurError.self) { try Self.expansion("users/{x}", ["x": value]) }
            #expect(error?.code == .parameterEncodingFailed)
            #expect(error?.message.contains("`x`") == true && error?.message.contains(message) == true)
            #expect(throws: Never.self) { try Self.expansion("users", ["x": value]) }
        }
    }

    @Test("The error of a template shows what is not an expression")
    func message() {
        let error = #expect(throws: LarkspurError.self) { try Self.expansion("users/{id", [:]) }
        #expect(error?.message == "In the template “users/{id”, “{id” is not an expression of RFC 6570.")
    }
}
