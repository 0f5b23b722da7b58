#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Synchronization
import Testing
import TestSupport

@Suite("The store of HSTS") struct HSTSStoreTests {
    /// A clock that a test sets.
    private final class Clock: Sendable {
        private let date: Mutex<Date>

        init(_ seconds: TimeInterval = 1_700_000_000) { date = Mutex(Date(timeIntervalSince1970: seconds)) }

        var now: Date { date.withLock { $0 } }

        func advance(_ seconds: TimeInterval) { date.withLock { $0.addTimeInterval(seconds) } }
    }

    private let folder = TemporaryFolder()
    private let clock = Clock()

    private var file: URL { folder.url.appendingPathComponent("hsts.txt") }

    private func makeStore() throws -> HSTSStore { try HSTSStore(file: file) { [clock] in clock.now } }

    private func host(_ name: String, _ seconds: TimeInterval, includesSubdomains: Bool = false) -> HSTSStore.Host {
        HSTSStore.Host(
            name: name,
            includesSubdomains: includesSubdomains,
            expirationDate: clock.now.addingTimeInterval(seconds)
        )
    }

    private var text: String { get throws { try String(contentsOf: file, encoding: .utf8) } }

    @Test("A program adds and removes hosts in any spelling of their names")
    func hosts() {
        let store = HSTSStore { [clock] in clock.now }
        #expect(store.insert(host("A.test.", 10)))
        #expect(store.insert(host("bücher.test", 20, includesSubdomains: true)))
        #expect(!store.insert(host("127.0.0.1", 10)))
        #expect(!store.insert(host("not a name", 10)))
        #expect(store.hosts.map(\.name) == ["a.test", "xn--bcher-kva.test"])
        #expect(store.hosts.map(\.includesSubdomains) == [false, true])
        #expect(store.requiresHTTPS("a.TEST") && store.requiresHTTPS("x.bücher.test"))
        #expect(!store.requiresHTTPS("x.a.test") && !store.requiresHTTPS("127.0.0.1"))
        clock.advance(10)
        #expect(!store.requiresHTTPS("a.test"))
        #expect(store.hosts.map(\.name) == ["xn--bcher-kva.test"])
        store.remove("Bücher.test")
        #expect(store.hosts.isEmpty)
        store.insert(host("a.test", 10))
        store.removeAll()
        #expect(store.hosts.isEmpty)
    }

    @Test("The next process reads the hosts from a file in curl's format, which only its owner can read")
    func persistence() throws {
        let store = try makeStore()
        #expect(store.hosts.isEmpty)
        store.insert(host("a.test", 86_400))
        store.insert(host("b.test", 3_600, includesSubdomains: true))
        store.insert(host("gone.test", 10))
        clock.advance(10)
        try store.save()
        let lines = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines == ["a.test \"20231115 22:13:20\"", ".b.test \"20231114 23:13:20\""])
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["hsts.txt"])

        let next = try makeStore()
        #expect(next.hosts == store.hosts)
        clock.advance(3_590)
        #expect(try makeStore().hosts.map(\.name) == ["a.test"])
    }

    @Test(
        "Any date of expiration can be saved and read",
        arguments: [1e300, Double.infinity, 1e12, 253_402_300_800, -1e300, -Double.infinity, Double.nan]
    )
    func times(_ seconds: TimeInterval) throws {
        let store = try makeStore()
        let expirationDate = Date(timeIntervalSince1970: seconds)
        store.insert(HSTSStore.Host(name: "a.test", expirationDate: expirationDate))
        try store.save()
        #expect(try makeStore().requiresHTTPS("a.test") == (expirationDate > clock.now))
    }

    @Test("The HSTS file is written in the background, also after a removal")
    func background() async throws {
        let store = try makeStore()
        store.insert(host("a.test", 100))
        try await eventually { (try? makeStore().requiresHTTPS("a.test")) == true }
        store.removeAll()
        try await eventually { (try? makeStore().hosts.isEmpty) == true }
    }

    @Test("The HSTS file is written even if the store has been released")
    func release() async throws {
        try makeStore().insert(host("a.test", 100))
        try await eventually { (try? makeStore().requiresHTTPS("a.test")) == true }
    }

    @Test(
        "Malformed lines of the HSTS file are skipped",
        arguments: [
            "", "a.test", "a.test \"\"", "a.test 20990101 00:00:00", "a.test \"20990101\"",
            "a.test \"20991301 00:00:00\"",
            "a.test \"20990100 00:00:00\"", "a.test \"20990101 24:00:00\"", "a.test \"20990101 00:60:00\"",
            "a.test \"2099-101 00:00:00\"", "a.test \"20990101 00:00:0x\"", "\"20990101 00:00:00\"",
            "127.0.0.1 \"20990101 00:00:00\"", "a/b \"20990101 00:00:00\"", "#a.test \"20990101 00:00:00\"",
            "a.test \"20010101 00:00:00\"",
        ]
    )
    func malformed(_ line: String) throws {
        try Data("before.test \"20990101 00:00:00\"\n\(line)\n.after.test \"unlimited\"\r\n".utf8).write(to: file)
        #expect(try makeStore().hosts.map(\.name) == ["after.test", "before.test"])
    }

    @Test("A file that cannot be read is an error of the store, and one that cannot be written is an error of saving")
    func errors() throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(throws: POSIXError.self) { try makeStore() }
        let elsewhere = folder.url.appendingPathComponent("missing/hsts.txt")
        let store = try HSTSStore(file: elsewhere)
        store.insert(host("a.test", 1e9))
        #expect(throws: POSIXError.self) { try store.save() }
        #expect(store.requiresHTTPS("a.test"))
        #expect(mkfifo(folder.url.appendingPathComponent("pipe").path, 0o600) == 0)
        #expect(throws: POSIXError.self) { try HSTSStore(file: folder.url.appendingPathComponent("pipe")) }
    }

    @Test("A store with a file has a limited number of hosts")
    func capacity() throws {
        let lines = (0..<100).map { "\($0).test \"20990101 00:00:00\"\n" }.joined()
        try Data(lines.utf8).write(to: file)
        #expect(try HSTSStore(file: file, capacity: 10).hosts.count <= 10)
    }
}
#endif
