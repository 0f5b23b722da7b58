#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Names that a resolver has resolved")
struct ResolvedNameTests {
    private let start = LoopTime.now

    private func addresses(_ times: Duration...) -> [ResolvedAddress] {
        times.enumerated().map { ResolvedAddress("127.0.0.\($0)", timeToLive: $1) }
    }

    @Test("The addresses of a name are valid until the first of them expires")
    func lifetime() {
        var names = ResolvedNames()
        #expect(names.addresses(of: "a.test", at: start) == nil)
        names.insert(addresses(.seconds(20), .seconds(10), .seconds(30)), for: "a.test", at: start)
        #expect(names.addresses(of: "a.test", at: start.adding(9.9)) == ["127.0.0.0", "127.0.0.1", "127.0.0.2"])
        #expect(names.addresses(of: "a.test", at: start.adding(10)) == nil)
        #expect(names.addresses(of: "b.test", at: start) == nil)
        names.insert(addresses(.seconds(5)), for: "a.test", at: start)
        #expect(names.addresses(of: "a.test", at: start.adding(4)) == ["127.0.0.0"])
    }

    @Test(
        "Addresses without a time to live are not stored",
        arguments: [.zero, .seconds(-1), .seconds(Int64.min)] as [Duration]
    )
    func noTime(_ time: Duration) {
        var names = ResolvedNames()
        names.insert(addresses(.seconds(60)), for: "a.test", at: start)
        names.insert(addresses(.seconds(60), time), for: "a.test", at: start)
        #expect(names.addresses(of: "a.test", at: start) == nil)
    }

    @Test("Addresses with the longest time to live do not expire")
    func endless() {
        var names = ResolvedNames()
        names.insert(addresses(.seconds(Int64.max)), for: "a.test", at: start)
        #expect(names.addresses(of: "a.test", at: start.adding(9e8)) != nil)
    }

    @Test("The number of names is limited, and expired ones are removed first")
    func capacity() {
        var names = ResolvedNames()
        func isKnown(_ number: Int) -> Bool { names.addresses(of: "\(number)", at: start.adding(1)) != nil }
        for number in 0..<ResolvedNames.capacity {
            names.insert(addresses(.seconds(number < 1000 ? 1 : 100)), for: "\(number)", at: start)
        }
        names.insert(addresses(.seconds(100)), for: "2000", at: start.adding(1))
        #expect((1000..<ResolvedNames.capacity).allSatisfy(isKnown) && isKnown(2000))
        for number in 3000..<6000 { names.insert(addresses(.seconds(100)), for: "\(number)", at: start.adding(1)) }
        #expect((0..<6000).count(where: isKnown) <= ResolvedNames.capacity)
        #expect(isKnown(5999))
    }

    @Test("libcurl's addresses for a name are replaced, and those of the oldest name are removed")
    func lines() {
        var loaded = LoadedNames()
        func lines(_ number: Int) -> [String] {
            loaded.lines(for: HostAddress(host: "\(number).test", port: 80, addresses: ["127.0.0.1", "::1"]))
        }
        #expect(lines(0) == ["0.test:80:127.0.0.1,[::1]"])
        #expect(lines(0) == ["0.test:80:127.0.0.1,[::1]"])
        for number in 1..<ResolvedNames.capacity { #expect(lines(number).count == 1) }
        #expect(lines(5000) == ["-0.test:80", "5000.test:80:127.0.0.1,[::1]"])
        #expect(lines(5001).first == "-1.test:80")
        #expect(lines(0) == ["-2.test:80", "0.test:80:127.0.0.1,[::1]"])
    }
}
#endif
