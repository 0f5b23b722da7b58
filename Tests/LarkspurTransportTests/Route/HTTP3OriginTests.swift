#if canImport(FoundationNetworking)
import HTTPSyntax
import Testing

@testable import LarkspurTransport

@Suite("Origins with HTTP/3")
struct HTTP3OriginTests {
    private static let origin = Origin(scheme: "https", host: "example.com", port: 443)
    private let start = ContinuousClock.now

    private func seconds(_ count: Int64) -> ContinuousClock.Instant { start + .seconds(count) }

    @Test(
        "An Alt-Svc field announces HTTP/3 for the origin's own host and port, for a time",
        arguments: [
            ("h3=\":443\"", 86_400), ("h3=\":443\"; ma=60", 60), ("h3=\":443\";ma=60;persist=1", 60),
            ("h3=\":443\"; MA=\"60\"", 60), ("h3=\"example.com:443\"; ma=5", 5), ("h3=\"EXAMPLE.com:443\"; ma=5", 5),
            ("h2=\":443\", h3-29=\":443\"; ma=7, h3=\":443\"; ma=8", 8), ("h3=\":8443\"; ma=1, h3=\":443\"; ma=9", 9),
            ("h3=\":443\"; ma=x", 86_400), ("h3=\":443\"; ma=-1", 86_400), ("h3=\":443\"; ma=0", 0),
            ("h3=\":443\"; ma=99999999999999999999", 31_536_000), ("w%3Dx=\":443\", h3=\":443\"; x=\"a,b\"", 86_400),
            ("h3=:443", 86_400), ("x=\"\u{301}\", h3=\":443\"; ma=5", 5), ("h3=\":443\",\u{301}a; ma=5", 86_400),
            ("clear", nil), ("", nil), (",,", nil), ("h3", nil), ("h3=", nil), ("h3=\"\"", nil), ("h3=\"443\"", nil),
            ("h3=\":8443\"", nil), ("h3=\"other.example:443\"", nil), ("h3=\"[::1]:443\"", nil), ("H3=\":443\"", nil),
            ("h3-29=\":443\"", nil), ("x=\"h3=:443\"", nil), ("h3=\":443", 86_400),
        ] as [(String, Int?)]
    )
    func announcement(_ field: String, _ lifetime: Int?) {
        #expect(HTTP3Announcement(field, of: Self.origin)?.lifetime == lifetime)
    }

    @Test("The host of an announcement may be an IPv6 address")
    func address() {
        let origin = Origin(scheme: "https", host: "[::1]", port: 8443)
        #expect(HTTP3Announcement("h3=\"[::1]:8443\"", of: origin) != nil)
        #expect(HTTP3Announcement("h3=\"[::2]:8443\"", of: origin) == nil)
    }

    @Test("An announcement applies for its time, less the response's age, and the next one replaces it")
    func lifetime() {
        var origins = HTTP3Origins()
        #expect(!origins.contains(Self.origin, at: start))
        origins.note("h3=\":443\"; ma=60", age: nil, of: Self.origin, at: start)
        #expect(origins.contains(Self.origin, at: seconds(59)))
        #expect(!origins.contains(Self.origin, at: seconds(60)))
        #expect(!origins.contains(Origin(scheme: "https", host: "example.com", port: 8443), at: start))
        origins.note("h3=\":443\"; ma=60", age: "20", of: Self.origin, at: start)
        #expect(origins.contains(Self.origin, at: seconds(39)))
        #expect(!origins.contains(Self.origin, at: seconds(40)))
        origins.note("h3=\":443\"; ma=60", age: "60", of: Self.origin, at: start)
        #expect(!origins.contains(Self.origin, at: start))
        origins.note("h3=\":443\"", age: nil, of: Self.origin, at: start)
        origins.note("clear", age: nil, of: Self.origin, at: start)
        #expect(!origins.contains(Self.origin, at: start))
    }

    @Test("After a failure of HTTP/3, announcements are ignored for five minutes")
    func failure() {
        var origins = HTTP3Origins()
        origins.note("h3=\":443\"", age: nil, of: Self.origin, at: start)
        origins.noteFailure(of: Self.origin, at: start)
        #expect(!origins.contains(Self.origin, at: start))
        origins.note("h3=\":443\"", age: nil, of: Self.origin, at: seconds(299))
        #expect(!origins.contains(Self.origin, at: seconds(299)))
        #expect(!origins.contains(Self.origin, at: seconds(301)))
        origins.note("h3=\":443\"", age: nil, of: Self.origin, at: seconds(300))
        #expect(origins.contains(Self.origin, at: seconds(301)))
    }

    @Test("The number of remembered origins is limited, and expired ones are removed first")
    func capacity() {
        func origin(_ number: Int) -> Origin { Origin(scheme: "https", host: "\(number).example", port: 443) }
        var origins = HTTP3Origins()
        for number in 0..<HTTP3Origins.capacity {
            origins.note("h3=\":443\"; ma=\(number < 1000 ? 10 : 1000)", age: nil, of: origin(number), at: start)
        }
        #expect((0..<HTTP3Origins.capacity).allSatisfy { origins.contains(origin($0), at: start) })
        origins.note("h3=\":443\"", age: nil, of: origin(5000), at: seconds(10))
        #expect((1000..<HTTP3Origins.capacity).allSatisfy { origins.contains(origin($0), at: seconds(10)) })
        #expect(origins.contains(origin(5000), at: seconds(10)))
        for number in 6000..<8000 { origins.note("h3=\":443\"", age: nil, of: origin(number), at: seconds(10)) }
        #expect((0..<8000).count { origins.contains(origin($0), at: seconds(10)) } <= HTTP3Origins.capacity)
        #expect(origins.contains(origin(7999), at: seconds(10)))
    }
}
#endif
