#if canImport(FoundationNetworking)

import Foundation
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Changes of a response to a cookie storage")
struct CookieUpdateTests {
    private let now = Date()

    private func context(_ text: String) throws -> CookieJar.Context {
        let url = try #require(URL(string: text))
        return try #require(CookieJar.Context(url))
    }

    private func update(
        _ setCookies: [String],
        from origin: String = "https://a.example.com/",
        stored: [HTTPCookie] = []
    ) throws -> CookieUpdate {
        CookieUpdate(setCookies, from: try context(origin), stored: stored, now: now)
    }

    private func cookie(
        _ name: String,
        domain: String = "a.example.com",
        path: String = "/",
        isSecure: Bool = false,
        expires: Date? = nil
    ) throws -> HTTPCookie {
        var properties: [HTTPCookiePropertyKey: Any] = [.name: name, .value: "old", .domain: domain, .path: path]
        if isSecure { properties[.secure] = "TRUE" }
        properties[.expires] = expires
        return try #require(HTTPCookie(properties: properties))
    }

    @Test("Of two values for one cookie, the last one is stored")
    func lastOne() throws {
        let update = try update(["a=1", "b=1", "a=2", "b=; Max-Age=0", "c=1; Max-Age=0", "c=2"])
        #expect(Set(update.additions.map { $0.name + $0.value }) == ["a2", "c2"])
        #expect(update.removals.isEmpty)
    }

    @Test("A cookie that is removed and set again has the new value")
    func endedAndSet() throws {
        let stored = try ["a", "b"].map { try cookie($0) }
        let update = try update(["a=; Max-Age=0", "a=new", "b=new", "b=; Max-Age=0"], stored: stored)
        #expect(update.additions.map(\.value) == ["new"])
        #expect(Set(update.removals.map(\.name)) == ["a", "b"])
        #expect(update.applied(to: stored).map(\.name) == ["a"])
    }

    @Test("The number of cookies of a site is limited, and the last ones of a response are stored")
    func manyInOneResponse() throws {
        let update = try update((0..<16_000).map { "c\($0)=v; Max-Age=\($0 + 1)" })
        #expect(update.additions.count == CookieLimits.perSite)
        #expect(Set(update.additions.map(\.name)) == Set((16_000 - CookieLimits.perSite..<16_000).map { "c\($0)" }))
    }

    @Test(
        "A site's oldest cookies are removed first, its secure ones last, and those of other sites never",
        .seeded
    )
    func eviction() throws {
        var stored = try (0..<100).map {
            try cookie("plain\($0)", domain: $0 % 2 == 0 ? ".example.com" : "b.example.com")
        }
        stored += try (0..<79).map { try cookie("secure\($0)", isSecure: true) }
        stored += try (0..<20).map { try cookie("expired\($0)", expires: now - 1) }
        stored += try (0..<20).map { try cookie("other\($0)", domain: "example.org") }
        stored += [try cookie("lookalike", domain: "badexample.com")]
        var random = SeededGenerator()
        let update = try update((0..<11).map { "new\($0)=v" }, stored: stored.shuffled(using: &random))
        #expect(update.additions.count == 11)
        #expect(Set(update.removals.map(\.name)) == Set((0..<10).map { "plain\($0)" }))

        let more = try self.update((0..<120).map { "new\($0)=v" }, stored: stored)
        #expect(Set(more.removals.map(\.name)) == Set((0..<100).map { "plain\($0)" }))
        #expect(more.additions.count == 101)
    }

    @Test("The number of cookies in a storage is limited, and expired ones do not count")
    func total() throws {
        var stored = try (0..<CookieLimits.total).map { try cookie("c\($0)", domain: "host\($0 / 100).test") }
        let update = try update(["a=1", "b=1"], stored: stored)
        #expect(update.removals.map(\.name) == ["c0", "c1"])
        #expect(update.applied(to: stored).count == CookieLimits.total)

        stored[0] = try cookie("c0", domain: "host0.test", expires: now - 1)
        stored[1] = try cookie("c1", domain: "host0.test", isSecure: true)
        #expect(try self.update(["a=1", "b=1"], stored: stored).removals.map(\.name) == ["c2"])
    }

    @Test("A storage with cookies beyond the limit shrinks in steps")
    func overfull() throws {
        let stored = try (0..<4000).map { try cookie("c\($0)", domain: "host\($0 / 100).test") }
        let update = try update(["a=1"], stored: stored)
        #expect(update.removals.count == 1 + CookieLimits.perSite)
    }

    @Test(
        "A cookie over http neither replaces nor hides a secure cookie",
        arguments: [
            ("https://a.example.com/x/", "s=1", true), ("http://a.example.com/x/", "s=1", false),
            ("http://a.example.com/x/", "s=1; Max-Age=0", false), ("http://a.example.com/x/y", "s=1; Path=/x/z", false),
            ("http://a.example.com/", "s=1; Domain=example.com; Path=/x", false),
            ("http://b.a.example.com/x/", "s=1", false), ("http://a.example.com/x/", "s=1; Secure", false),
            ("http://a.example.com/", "s=1; Path=/", true), ("http://a.example.com/x/", "t=1", true),
            ("http://b.example.com/x/", "s=1", true), ("http://a.example.com/", "t=1; Secure", false),
        ]
    )
    func secure(origin: String, setCookie: String, isAccepted: Bool) throws {
        let stored = [try cookie("s", path: "/x", isSecure: true)]
        #expect(try update([setCookie], from: origin, stored: stored).isEmpty == !isAccepted)
    }

    @Test("An unchanged cookie leads to no change")
    func unchanged() throws {
        let update = try update(["a=1; Path=/"])
        #expect(try self.update(["a=1; Path=/"], stored: update.additions).isEmpty)
        #expect(try self.update(["a=2; Path=/", "a=1; Path=/"], stored: update.additions).isEmpty)
        #expect(try self.update(["a=2; Path=/"], stored: update.additions).additions.count == 1)
    }

    @Test("Session cookies are added before persistent ones, each group in its order")
    func order() throws {
        let update = try update(["a=1; Max-Age=9", "b=1", "c=1; Max-Age=9", "d=1"])
        #expect(update.additions.map(\.name) == ["b", "d", "a", "c"])
        #expect(update.additions.sorted { $0.created < $1.created }.map(\.name) == ["a", "b", "c", "d"])
    }
}

#endif
