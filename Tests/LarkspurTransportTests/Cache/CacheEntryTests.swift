#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Stored responses")
struct CacheEntryTests {
    struct VaryRow: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let stored: [CacheEntry.VaryingField]
        let request: [String: String]
        let matches: Bool

        init(_ rule: String, _ stored: [(String, String?)], _ request: [String: String], _ matches: Bool) {
            testDescription = rule
            self.stored = stored.map { CacheEntry.VaryingField(name: $0, value: $1) }
            self.request = request
            self.matches = matches
        }
    }

    @Test(
        "A request gets the response that was stored for its values of the fields in Vary (RFC 9111, section 4.1)",
        arguments: [
            VaryRow("no Vary", [], ["A": "1"], true),
            VaryRow("the same value", [("a", "1")], ["A": "1"], true),
            VaryRow("blanks around it", [("a", "1")], ["a": " 1\t"], true),
            VaryRow("another value", [("a", "1")], ["a": "2"], false),
            VaryRow("values have a case", [("a", "x")], ["a": "X"], false),
            VaryRow("missing now", [("a", "1")], [:], false),
            VaryRow("missing then", [("a", nil)], ["a": "1"], false),
            VaryRow("missing then and now", [("a", nil)], [:], true),
            VaryRow("empty is not missing", [("a", nil)], ["a": ""], false),
            VaryRow("two fields, one differs", [("a", "1"), ("b", "1")], ["a": "1", "b": "2"], false),
            VaryRow("what is sent by default", [("accept", "*/*")], [:], true),
        ]
    )
    func vary(row: VaryRow) {
        let entry = CacheEntry.made(varying: row.stored)
        #expect(entry.matches(CacheRequestFields(own: row.request)) == row.matches)
    }

    @Test("Fields of the session, cookies and sent credentials count as fields of the request")
    func effectiveFields() {
        let fields = CacheRequestFields(
            own: ["A": "own"],
            additional: ["a": "session", "B": "session"],
            userCredential: UserCredential(user: "ada", password: "x"),
            cookie: { "c=1" }
        )
        #expect(fields["a"] == "own")
        #expect(fields["b"] == "session")
        #expect(fields["authorization"] == "ada\0x")
        #expect(fields["cookie"] == "c=1")
        #expect(fields["accept-encoding"] == ContentDecoder.acceptEncoding)
        #expect(fields["user-agent"]?.contains("curl/") == true)
    }

    @Test("Credentials are compared by hashes, and different ones have separate entries even without Vary")
    func credentials() {
        let ada = CacheRequestFields(own: ["Authorization": "Basic ada"])
        let entry = CacheEntry.made(authorization: ada.nominated("authorization"))
        #expect(entry.matches(ada))
        #expect(!entry.matches(CacheRequestFields(own: ["Authorization": "Basic bob"])))
        #expect(!entry.matches(CacheRequestFields(own: [:])))
        #expect(!CacheEntry.made().matches(ada))
        #expect(!entry.variantKey.contains("ada"))
        #expect(CacheRequestFields(own: ["Cookie": "secret"]).nominated("cookie")?.contains("secret") == false)
    }

    @Test("A redirect is not used as a response", arguments: [301, 302, 303, 307, 308])
    func redirects(status: Int) {
        let fields = CacheRequestFields(own: [:])
        #expect(!CacheEntry.made(["Location": "/y"], status: status).matches(fields))
        #expect(CacheEntry.made(status: status).matches(fields))
    }

    @Test(
        "The Authorization field that was sent identifies the entry, whatever the request's own field was",
        arguments: [nil, "Basic a", "Basic b"]
    )
    func sentCredential(value: String?) {
        let fields = CacheRequestFields(own: ["Authorization": "Basic a", "X": "1"])
        fields.note(sentFor: nil, with: value)
        #expect(fields["authorization"] == value)
        #expect(fields["x"] == "1")
    }

    @Test("A credential that was sent for a challenge identifies the entry, whatever the field's value was")
    func sentCredential() {
        let ada = UserCredential(user: "ada", password: "x")
        let fields = CacheRequestFields(own: ["Authorization": "Bearer a"])
        fields.note(sentFor: ada, with: "Digest nonce=1")
        #expect(fields["authorization"] == CacheRequestFields(own: [:], userCredential: ada)["authorization"])
        #expect(
            fields["authorization"]
                != CacheRequestFields(own: [:], userCredential: UserCredential(user: "ada", password: "y"))[
                    "authorization"
                ]
        )
    }

    @Test(
        "A Digest authorization is valid for one request only",
        arguments: [("Digest a=1", true), ("Basic x", false)]
    )
    func digest(value: String, isPassing: Bool) {
        #expect(CacheRequestFields(own: ["authorization": value]).hasPassingAuthorization == isPassing)
    }

    // MARK: Fields

    @Test("Fields of the connection are not stored (RFC 9111, section 3.1)")
    func storedFields() {
        let fields = [
            "Connection": "keep-alive, x-hop", "X-Hop": "1", "Keep-Alive": "timeout=5", "Transfer-Encoding": "chunked",
            "Proxy-Authenticate": "Basic", "Te": "gzip", "Upgrade": "h2c", "Content-Type": "text/plain",
            "Etag": "\"a\"",
        ]
        #expect(CacheEntry.storedFields(of: fields) == ["Content-Type": "text/plain", "Etag": "\"a\""])
        #expect(CacheEntry.storedFields(of: ["Connection": "x-hop,\u{301}a", "X-Hop": "1"]).isEmpty)
    }

    @Test("A 304 replaces the stored fields except those of the content (RFC 9111, sections 3.2 and 4.3.4)")
    func freshening() {
        let entry = CacheEntry.made(
            ["Cache-Control": "max-age=1", "Content-Length": "7", "Content-Type": "a/b", "Age": "9", "X-Old": "1"],
            ago: 100
        )
        let later = CacheEntry.now + 5
        let fresh = entry.freshened(
            by: [
                "Cache-Control": "max-age=60", "Content-Length": "0", "Content-Type": "c/d", "Connection": "close",
                "Content-Encoding": "gzip", "X-New": "2",
            ],
            requestTime: CacheEntry.now,
            responseTime: later
        )
        #expect(
            fresh.fields == [
                "Cache-Control": "max-age=60", "Content-Length": "7", "Content-Type": "a/b", "X-Old": "1", "X-New": "2",
            ]
        )
        #expect(fresh.content == entry.content)
        #expect(fresh.requestTime == CacheEntry.now)
        #expect(fresh.responseTime == later)
        #expect(Freshness(of: fresh, at: later).isFresh)
    }

    @Test("A 304 without a Date counts from the time of its arrival")
    func fresheningWithoutDate() {
        let entry = CacheEntry.made(
            ["Cache-Control": "max-age=60", "Date": "Mon, 01 Jan 2001 00:00:00 GMT", "Age": "9"]
        )
        let fresh = entry.freshened(by: [:], requestTime: CacheEntry.now, responseTime: CacheEntry.now)
        #expect(Freshness(of: fresh, at: CacheEntry.now).isFresh)
        #expect(fresh.fields == ["Cache-Control": "max-age=60"])
    }

    @Test(
        "A 304 updates the response with the same validator (RFC 9111, section 4.3.4)",
        arguments: [
            (["Etag": "\"a\""], ["Etag": "\"a\""], true),
            (["Etag": "\"a\""], ["Etag": "\"b\""], false),
            (["Etag": "W/\"a\""], ["Etag": "\"a\""], true),
            (["Etag": "W/\u{301}"], ["Etag": "W/"], false),
            (["Etag": "\"a\""], [:], true),
            (["Last-Modified": "x"], ["Etag": "\"b\""], false),
            (["Last-Modified": "x"], ["Last-Modified": "x"], true),
            (["Last-Modified": "x"], ["Last-Modified": "y"], false),
        ]
    )
    func validation(stored: [String: String], received: [String: String], isValid: Bool) {
        #expect(CacheEntry.made(stored).isValidated(by: received) == isValid)
    }

    @Test("A validator with a line break is not sent")
    func injection() {
        #expect(CacheEntry.made(["Etag": "\"a\"\r\nX: y", "Last-Modified": "a\nb"]).conditions.isEmpty)
    }

    // MARK: Files

    private static let full = CacheEntry.made(
        ["Etag": "\"a\"", "X": "äö"],
        ago: 12.5,
        status: 404,
        url: "https://a.test:444/ä?q=1",
        content: "content of the file",
        varying: [.init(name: "a", value: nil), .init(name: "b", value: "2")],
        authorization: "hash"
    )

    @Test("A file is decoded to the entry that was encoded")
    func coding() {
        #expect(CacheFile.decode(CacheFile.encode(Self.full)) == Self.full)
        #expect(CacheFile.decode(CacheFile.encode(.made(content: "")))?.content == Data())
    }

    @Test("A file that is truncated, extended, or changed in one byte is rejected")
    func damage() {
        let file = CacheFile.encode(Self.full)
        for count in 0..<file.count { #expect(CacheFile.decode(file.prefix(count)) == nil) }
        #expect(CacheFile.decode(file + [0]) == nil)
        for index in file.indices {
            var damaged = file
            damaged[index] ^= 0x20
            #expect(CacheFile.decode(damaged) == nil)
        }
    }

    @Test("A head with false counts is rejected, and allocates no memory for them")
    func lyingCounts() {
        let head = Self.full.encodedHead
        for offset in stride(from: 0, to: head.count - 8, by: 1) {
            var lying = head
            for index in offset..<(offset + 8) { lying[index] = 0xFF }
            _ = CacheEntry(encodedHead: lying, content: Data())
        }
        #expect(CacheEntry(encodedHead: head + [1], content: Data()) == nil)
        #expect(CacheEntry(encodedHead: Data(), content: Data()) == nil)
    }

    @Test("File names differ between the entries of one URL, and do not reveal their content")
    func names() {
        let name = CacheFile.name(of: Self.full)
        #expect(name.utf8.count == 16 + 1 + 64 + 6)
        #expect(CacheFile.sum(ofName: name) == Checksum.of(Self.full.url))
        #expect(CacheFile.name(of: .made(url: Self.full.url)) != name)
        for other in ["", "x", "notes.txt", name + "x", "x" + name.dropFirst()] {
            #expect(CacheFile.sum(ofName: other) == nil)
        }
    }

    @Test(
        "An entry is stored under the URL as it is sent",
        arguments: [
            ("http://a.test/x#fragment", "http://a.test/x"), ("http://a.test/@x?a@b", "http://a.test/@x?a@b"),
            ("http://u:p@a.test/x?q=1", "http://a.test/x?q=1"),
            ("HTTP://A.test/X", "http://a.test/X"), ("http://a.test:80/x", "http://a.test/x"),
            ("https://a.test:443", "https://a.test/"), ("http://a.test:443/x", "http://a.test:443/x"),
            ("http://a.test:/x", "http://a.test/x"), ("http://a.test:0080/x", "http://a.test/x"),
            ("http://a.test", "http://a.test/"), ("http://a.test?Q=1", "http://a.test/?Q=1"),
            ("http://u:P@A.test:80#f", "http://a.test/"), ("http://[::A]:80/x", "http://[::a]/x"),
            ("http+unix://%2Fa%2FB/x", "http+unix://%2Fa%2FB/x"), ("HTTP+unix://%2Fa", "http+unix://%2Fa/"),
            ("ftp://a.test/", nil), ("relative", nil),
        ]
    )
    func keys(text: String, key: String?) throws {
        #expect(CacheEntry.key(try #require(URL(string: text))) == key)
    }
}
#endif
