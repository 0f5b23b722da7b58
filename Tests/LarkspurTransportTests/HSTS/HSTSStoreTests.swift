#if canImport(FoundationNetworking)
import Foundation
import Synchronization
import Testing
import TestSupport

@testable import LarkspurTransport

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

    // MARK: Several stores

    @Test("Six stores with one file keep the hosts of all, and get those of the others when they save")
    func several() async throws {
        let stores = try (0..<6).map { _ in try makeStore() }
        await withTaskGroup(of: Void.self) { group in
            for (number, store) in stores.enumerated() {
                group.addTask { [clock] in
                    let expiry = clock.now.addingTimeInterval(100)
                    store.insert(HSTSStore.Host(name: "\(number).test", expirationDate: expiry))
                    Self.save(store)
                }
            }
        }
        let names = (0..<6).map { "\($0).test" }
        #expect(try makeStore().hosts.map(\.name) == names)
        for store in stores {
            try store.save()
            #expect(store.hosts.map(\.name) == names)
        }
    }

    /// Saves on the calling thread, which does not matter in a test.
    private static func save(_ store: HSTSStore) {
        do { try store.save() } catch { Issue.record(error) }
    }

    @Test("A removal removes the host of the file, and unchanged hosts are those of the other process")
    func removals() throws {
        let first = try makeStore()
        for name in ["a.test", "b.test", "c.test"] { first.insert(host(name, 100)) }
        try first.save()
        let second = try makeStore()
        second.remove("a.test")
        second.insert(host("b.test", 200, includesSubdomains: true))
        second.insert(host("d.test", 100))
        try second.save()
        first.remove("c.test")
        try first.save()
        #expect(first.hosts.map(\.name) == ["b.test", "d.test"])
        #expect(first.hosts[0].includesSubdomains)
        #expect(try makeStore().hosts == first.hosts)
        try second.save()
        #expect(second.hosts == first.hosts)
        first.removeAll()
        try first.save()
        #expect(try makeStore().hosts.isEmpty)
        // A host that is still known to the other process does not come back.
        try second.save()
        #expect(try makeStore().hosts.isEmpty && second.hosts.isEmpty)
    }

    @Test("A host that only another process has written is removed, by the program and by its response")
    func foreignRemovals() throws {
        let (first, second, third) = (try makeStore(), try makeStore(), try makeStore())
        for name in ["a.test", "b.test", "c.test"] { first.insert(host(name, 100)) }
        try first.save()
        second.note("max-age=0", of: URL(string: "https://b.test/"))
        #expect(second.unsavedCount == 1)
        try second.save()
        third.remove("a.test")
        try third.save()
        #expect(try makeStore().hosts.map(\.name) == ["c.test"])
        #expect(third.hosts.map(\.name) == ["c.test"] && third.unsavedCount == 0)
    }

    @Test("The removal of a host that only another process has written is saved in the background")
    func foreignRemovalInBackground() async throws {
        let (first, second) = (try makeStore(), try makeStore())
        first.insert(host("a.test", 100))
        try first.save()
        second.remove("a.test")
        try await eventually { (try? makeStore().hosts.isEmpty) == true }
    }

    @Test("While the file cannot be written, the number of changes is limited")
    func unsavedChanges() throws {
        let file = folder.url.appendingPathComponent("missing/hsts.txt")
        let store = try HSTSStore(file: file, capacity: 10) { [clock] in clock.now }
        for number in 0..<200 {
            store.insert(host("\(number).test", 100))
            if number % 50 == 0 { #expect(throws: POSIXError.self) { try store.save() } }
        }
        for number in 0..<200 { store.note("max-age=0", of: URL(string: "https://\(number).other.test/")) }
        #expect(throws: POSIXError.self) { try store.save() }
        #expect((1...20).contains(store.unsavedCount))
        for number in 0..<200 { store.remove("\(number).test") }
        #expect(throws: POSIXError.self) { try store.save() }
        #expect((1...20).contains(store.unsavedCount))
        let last = host("last.test", 100)
        store.insert(last)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: false
        )
        try store.save()
        let fresh = try HSTSStore(file: file) { [clock] in clock.now }
        #expect(fresh.hosts == [last] && store.unsavedCount == 0)
    }

    @Test("A file that another process has locked is an error of saving, and the changes are saved later")
    func locked() throws {
        let store = try HSTSStore(file: file, lockLimit: .zero)
        let expiry = Date().addingTimeInterval(1000)
        let lock = folder.url.appendingPathComponent(".hsts.txt.lock").path
        try FileLock.hold(lock, until: .now, isKept: false) { _ in
            store.insert(HSTSStore.Host(name: "a.test", expirationDate: expiry))
            #expect(throws: POSIXError(.ETIMEDOUT)) { try store.save() }
            #expect(throws: POSIXError(.ETIMEDOUT)) { try store.save() }
        }
        #expect(store.requiresHTTPS("a.test"))
        try store.save()
        #expect(try HSTSStore(file: file).requiresHTTPS("a.test"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["hsts.txt"])
    }

    @Test("The waits of several calls do not add up")
    func waits() async throws {
        let store = try HSTSStore(file: file, lockLimit: .milliseconds(500))
        let lock = folder.url.appendingPathComponent(".hsts.txt.lock").path
        let descriptor = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        defer { close(descriptor) }
        let start = ContinuousClock.now
        let failures = Mutex(0)
        let count = 40
        for _ in 0..<count {
            Thread.detachNewThread {
                let result = Result { try store.save() }
                if case .failure(let error as POSIXError) = result, error.code == .ETIMEDOUT {
                    failures.withLock { $0 += 1 }
                }
            }
        }
        try await eventually(count) { failures.withLock { $0 } }
        // One after the other, they would take 20 seconds.
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test(
        "A renewal that was not saved alone is saved with the next change, unless another process has changed the host"
    )
    func renewals() throws {
        let store = try makeStore()
        let url = try #require(URL(string: "https://a.test/"))
        for name in ["a", "b"] {
            store.note("max-age=1000", of: URL(string: "https://\(name).test/"))
        }
        try store.save()
        clock.advance(50)
        for name in ["a", "b"] {
            store.note("max-age=1000", of: URL(string: "https://\(name).test/"))
        }
        let other = try makeStore()
        other.note("max-age=5000", of: url)
        try other.save()
        store.insert(host("c.test", 10))
        try store.save()
        #expect(store.hosts.map { $0.expirationDate.timeIntervalSince(clock.now) } == [5000, 1000, 10])
        #expect(try makeStore().hosts == store.hosts)
    }
}
#endif
