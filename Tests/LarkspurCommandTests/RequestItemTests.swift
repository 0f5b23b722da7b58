import Foundation
import Testing

@testable import LarkspurCommand

@Suite("Items")
struct RequestItemTests {
    @Test(
        "The first separator splits an item, and at one position the longest separator",
        arguments: [
            ("Name:Value", "Name", .header, "Value"), ("Name:", "Name", .header, ""),
            ("Name;", "Name", .emptyHeader, ""),
            ("Name:@file", "Name", .headerFile, "file"), ("a==b", "a", .query, "b"), ("a==@b", "a", .queryFile, "b"),
            ("a=b", "a", .text, "b"), ("a=@b", "a", .textFile, "b"), ("a:=1", "a", .json, "1"),
            ("a:=@b", "a", .jsonFile, "b"), ("a@b", "a", .file, "b"), ("@b", "", .file, "b"), ("=b", "", .text, "b"),
            ("a=b:c=d", "a", .text, "b:c=d"), ("X-Date:Mon, 1:2:3", "X-Date", .header, "Mon, 1:2:3"),
            (#"a\=b=c"#, "a=b", .text, "c"), (#"a\:b:c"#, "a:b", .header, "c"), (#"a=b\=c"#, "a", .text, "b=c"),
            (#"a\nb=c"#, #"a\nb"#, .text, "c"), (#"a\[b\]=c"#, #"a\[b\]"#, .text, "c"),
            (#"a\\=c"#, #"a\\"#, .text, "c"),
            ("a[b]=@c", "a[b]", .textFile, "c"), ("é=ü", "é", .text, "ü"),
            ("A:\u{301}b", "A", .header, "\u{301}b"), ("a=\u{FE0F}b", "a", .text, "\u{FE0F}b"),
            ("a\\:\u{301}:b", "a:\u{301}", .header, "b"), ("a=\\=\u{301}", "a", .text, "=\u{301}"),
            ("a:=\"x=y\"", "a", .json, "\"x=y\""),
        ] as [(String, String, RequestItem.Kind, String)]
    )
    func parsing(text: String, name: String, kind: RequestItem.Kind, value: String) throws {
        #expect(try RequestItem(parsing: text) == RequestItem(name, kind, value))
    }

    @Test("A word without a separator is an error", arguments: ["a", "", #"a\=b"#, "a;b", #"\"#])
    func errors(text: String) {
        #expect(throws: UsageError.self) { try RequestItem(parsing: text) }
    }

    @Test(
        "A URL may omit its scheme and the local host",
        arguments: [
            ("example.com", "http://example.com"), (":3000/a", "http://localhost:3000/a"),
            (":/a", "http://localhost/a"),
            (":", "http://localhost"), (":8080", "http://localhost:8080"), ("://example.com", "http://example.com"),
            ("HTTPS://example.com", "HTTPS://example.com"), ("localhost:80/a", "http://localhost:80/a"),
            ("[::1]:80/a", "http://[::1]:80/a"), ("example.com/a?u=http://b", "http://example.com/a?u=http://b"),
            ("::1", "http://::1"), ("://\u{301}a", "http://\u{301}a"), ("http://\u{301}u:p@h", "http://\u{301}u:p@h"),
        ]
    )
    func completion(text: String, url: String) {
        #expect(TargetURL.completed(text, defaultScheme: "http") == url)
        #expect(TargetURL.completed("example.com", defaultScheme: "https") == "https://example.com")
    }

    @Test(
        "A URL is escaped, and the query is appended",
        arguments: [
            ("http://h", "http://h/?a+b=%26%C3%A9"), ("http://h/p?x=1", "http://h/p?x=1&a+b=%26%C3%A9"),
            ("http://u:p@h/p#f", "http://h/p?a+b=%26%C3%A9"), ("http://h:1?", "http://h:1/?a+b=%26%C3%A9"),
            ("http://h/a[0]%20b?f[x]=%20|", "http://h/a%5B0%5D%20b?f%5Bx%5D=%20%7C&a+b=%26%C3%A9"),
            (" http://h/a b%\n", "http://h/a%20b%25?a+b=%26%C3%A9"), ("http://u:p%40 s@h/", "http://h/?a+b=%26%C3%A9"),
        ]
    )
    func query(text: String, url: String) throws {
        #expect(try TargetURL.url(text, query: [("a b", "&é")]).absoluteString == url)
    }

    @Test("Paths are split at slashes and dots, also if a combining character follows")
    func paths() {
        #expect(UserPath.expanded("~/\u{301}a", environment: ["HOME": "/h"]) == "/h/\u{301}a")
        #expect(FileType.of("a\u{600}.css") == "text/css")
        #expect(FileType.of("a.css/\u{301}") == nil && FileType.of("a/.css") == nil)
    }

    @Test(
        "Invalid URLs are errors",
        arguments: [
            "http://", "https://[]", "http:///p", "ftp://h", "http://h:99999", "http://h:0", "http://h:x",
            "http://a..b", "http://h/\n/",
        ]
    )
    func impossible(text: String) {
        #expect(throws: UsageError.self) { try TargetURL.url(text, query: []) }
    }
}
