import Foundation
import TestSupport
import Testing

@testable import LarkspurCommand

@Suite("Sessions that several runs change") struct SavedSessionTests {
    private let now = Date(timeIntervalSince1970: 1000)
    private let folder = TemporaryFolder()

    /// - Parameters:
    ///   - cookies: Names and values, and the seconds at which a cookie expires.
    ///   - fields: Names and values.
    private func session(
        _ cookies: [(String, String, Double?)],
        _ fields: [(String, String)] = [],
        auth: String? = nil
    ) -> SavedSession {
        var session = SavedSession()
        session.cookies = cookies.map {
            SavedSession.Cookie(name: $0.0, value: $0.1, domain: "a.test", path: "/", expires: $0.2, secure: false)
        }
        session.headers = fields.map { SavedSession.Field(name: $0.0, value: $0.1) }
        session.auth.rawAuth = auth
        return session
    }

    private func text(_ session: SavedSession) -> String {
        let cookies = session.cookies.map { "\($0.name)=\($0.value)" }
        let fields = session.headers.map { "\($0.name):\($0.value)" }
        return (cookies + fields + (session.auth.rawAuth.map { [$0] } ?? [])).joined(separator: " ")
    }

    @Test("Cookies, fields and credentials of this run replace those of the file, and all others stay")
    func merging() {
        let base = session([("a", "1", nil), ("b", "1", nil), ("c", "1", nil)], [("X", "1"), ("Y", "1")], auth: "p")
        let own = session([("a", "1", nil), ("b", "2", nil), ("n", "2", nil)], [("X", "2"), ("Y", "1")], auth: "p")
        let file = session(
            [("a", "3", nil), ("b", "3", nil), ("c", "1", nil), ("m", "3", nil)],
            [("y", "3")],
            auth: "q"
        )
        #expect(text(own.merged(into: file, since: base, at: now)) == "a=3 b=2 m=3 n=2 y:3 X:2 q")
        #expect(text(own.merged(into: base, since: base, at: now)) == text(own))
        #expect(text(base.merged(into: file, since: base, at: now)) == text(file))
        #expect(text(own.merged(into: SavedSession(), since: base, at: now)) == "b=2 n=2 X:2")
        let credentials = session([], auth: "mine").merged(into: file, since: session([], auth: "p"), at: now)
        #expect(credentials.auth.rawAuth == "mine")
    }

    @Test("A cookie that has only expired is not removed from the file")
    func expiry() {
        let base = session([("a", "1", 500), ("b", "1", 500)])
        let file = session([("a", "2", 2000), ("b", "1", 500)])
        #expect(text(session([]).merged(into: file, since: base, at: now)) == "a=2")
    }

    @Test("Cookies of which Foundation's storage has only one stay in the file")
    func sameText() throws {
        let url = try #require(URL(string: "http://a.test/"))
        let file = try SessionFile(folder.url.appendingPathComponent("s.json").path, url: url, environment: [:])
        var session = SavedSession()
        session.cookies = [("b", "/a"), ("ab", "/")].map {
            SavedSession.Cookie(name: $0.0, value: "1", domain: "a.test", path: $0.1)
        }
        try file.write(session)
        var own = session
        own.cookies = CookieStorage(session, host: "a.test").saved
        #expect(own.cookies.count == 1)
        try file.write(own, since: session, host: "a.test")
        #expect(try file.read().cookies.map(\.name).sorted() == ["ab", "b"])
    }

    @Test("A cookie that HTTPie has stored without a domain is no change")
    func completed() {
        var file = SavedSession()
        file.cookies = [SavedSession.Cookie(name: "a", value: "1")]
        let base = file.completed(for: "a.test")
        #expect(base.cookies.map(\.domain) == ["a.test"])
        let storage = CookieStorage(file, host: "a.test")
        var own = SavedSession()
        own.cookies = storage.saved
        var changed = base
        changed.cookies[0].value = "2"
        #expect(text(own.merged(into: changed, since: base, at: now)) == "a=2")
    }
}
