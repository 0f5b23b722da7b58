#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import Synchronization
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Cookies in a file", .timeLimit(.minutes(5)))
struct CookieFileTests {
    private let folder = TemporaryFolder()
    private var file: URL { folder.url.appendingPathComponent("cookies.txt") }
    // Foundation's storage deletes cookies that have expired by the system's clock.
    private let now = Date(timeIntervalSince1970: 4_000_000_000)

    private final class Clock: Sendable {
        let date: Mutex<Date>

        init(_ date: Date) { self.date = Mutex(date) }
    }

    private func makeStorage() throws -> HTTPCookieStorage {
        try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
    }

    private func open(_ storage: HTTPCookieStorage) throws -> CookieFile {
        try CookieFile(file, of: storage, lockLimit: .seconds(60)) { [now] in now }
    }

    private func set(_ name: String, _ value: String, in storage: HTTPCookieStorage, expiry: Date? = nil) throws {
        let cookie = try #require(SetCookie("\(name)=\(value)"))
        storage.setCookie(try #require(HTTPCookie(cookie, domain: "a.test", path: "/", expiry: expiry)))
    }

    private func pairs(_ storage: HTTPCookieStorage) -> [String] {
        (storage.cookies ?? []).map { "\($0.name)=\($0.value)" }.sorted()
    }

    private var saved: [String] {
        get throws {
            CookieLines.decode(try Data(contentsOf: file)).map { "\($0.name)=\($1.value)" }.sorted()
        }
    }

    @Test("Cookies of each kind are read as they were written, by the owner of the file alone")
    func roundTrip() throws {
        let storage = try makeStorage()
        let url = try #require(URL(string: "https://www.a.test/"))
        let jar = CookieJar(storage: storage, acceptPolicy: .always) { [now] in now }
        let texts = [
            "a=1", "b=x y; Max-Age=100", "c=2; Secure; HttpOnly; Domain=a.test; Path=/p", "d=", "e=\u{E9}",
            String(octets: Array("f=".utf8) + [0xE9]), "g=1\t2",
        ]
        jar.store(texts, from: url, mainDocumentURL: nil)
        jar.finishWriting()
        #expect(storage.cookies?.count == 7)
        let cookies = try open(storage)
        try cookies.save()
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["cookies.txt"])
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(text.contains("\n#HttpOnly_.a.test\tTRUE\t/p\tTRUE\t0\tc\t2\n"))
        #expect(text.contains("\nwww.a.test\tFALSE\t/\tFALSE\t4000000100\tb\tx y\n"))
        let next = try makeStorage()
        _ = try open(next)
        #expect(
            Set((next.cookies ?? []).map { CookieIdentity($0) })
                == Set((storage.cookies ?? []).map { CookieIdentity($0) })
        )
        let copy = CookieJar(storage: next, acceptPolicy: .always) { [now] in now }
        let page = try #require(URL(string: "https://www.a.test/p"))
        #expect(copy.field(for: page)?.octets.count == jar.field(for: page)?.octets.count)
        #expect(copy.field(for: page)?.octets.contains(0xE9) == true)
    }

    @Test(
        "Lines in another format are skipped",
        arguments: [
            ("a.test\tFALSE\t/\tFALSE\t0\tn\tv", 1), ("#HttpOnly_a.test\tFALSE\t/\tFALSE\t0\tn\tv\r", 1),
            (".a.test\tTRUE\t/\tTRUE\t4000000000\tn\t", 1), ("a.test\tFALSE\t/\tFALSE\t0\tn\ta\tb", 1), ("", 0),
            ("#a.test\tFALSE\t/\tFALSE\t0\tn\tv", 0), ("a.test\tFALSE\t/\tFALSE\t0\tn", 0),
            ("a.test\tFALSE\t/\tFALSE\t-1\tn\tv", 0), ("a.test\tFALSE\t/\tFALSE\tx\tn\tv", 0),
            ("a.test\tFALSE\tp\tFALSE\t0\tn\tv", 0), ("\tFALSE\t/\tFALSE\t0\tn\tv", 0),
            ("a.test\tFALSE\t/\tFALSE\t0\t\tv", 0), ("a.test\tFALSE\t/\tFALSE\t0\tn\tv; Secure", 0),
            ("a.test\tFALSE\t/\tFALSE\t0\tn=m\tv", 0), ("a.test\tFALSE\t/\tFALSE\t0\tn\t\u{1}", 0),
            ("a.test\tFALSE\t/\tFALSE\t1\tn\tv", 1),
        ] as [(String, Int)]
    )
    func malformed(_ line: String, _ count: Int) {
        let cookies = CookieLines.decode(Data("\n\(line)\n".utf8))
        #expect(cookies.count == count)
        #expect(CookieLines.decode(CookieLines.encode(cookies)) == cookies)
    }

    @Test("Six files of six storages keep the cookies of all")
    func several() async throws {
        let parts = try (0..<6).map { number in
            let storage = try makeStorage()
            let file = try open(storage)
            try set("c\(number)", "1", in: storage)
            return file
        }
        await withTaskGroup(of: Void.self) { group in
            for part in parts {
                group.addTask {
                    do { try await part.save() } catch { Issue.record(error) }
                }
            }
        }
        #expect(try saved == (0..<6).map { "c\($0)=1" })
    }

    @Test("Changes and removals of two processes are merged, and reach both storages")
    func merging() throws {
        let (one, other) = (try makeStorage(), try makeStorage())
        let first = try open(one)
        for name in ["a", "b", "c", "d"] { try set(name, "1", in: one) }
        try first.save()
        let second = try open(other)
        try set("a", "2", in: other)
        other.deleteCookie(try #require(other.cookies?.first { $0.name == "b" }))
        try set("e", "2", in: other)
        try set("d", "2", in: other)
        try second.save()
        one.deleteCookie(try #require(one.cookies?.first { $0.name == "c" }))
        try set("d", "3", in: one)
        try first.save()
        #expect(try saved == ["a=2", "d=3", "e=2"])
        #expect(pairs(one) == ["a=2", "d=3", "e=2"])
        try second.save()
        #expect(try saved == ["a=2", "d=3", "e=2"] && pairs(other) == ["a=2", "d=3", "e=2"])
    }

    /// A process whose cookie another process has renewed.
    private struct Outdated {
        let storage: HTTPCookieStorage
        let file: CookieFile
        let clock: Clock
    }

    /// Saves a cookie, and then its renewal by another process.
    /// - Parameters:
    ///   - lifetime: The seconds until the first cookie expires.
    ///   - others: The names of cookies that expire with it, and are not renewed.
    private func renewed(lasting lifetime: TimeInterval, _ others: [String] = []) throws -> Outdated {
        let (one, other) = (try makeStorage(), try makeStorage())
        for name in ["a"] + others { try set(name, "1", in: one, expiry: now.addingTimeInterval(lifetime)) }
        let clock = Clock(now)
        let first = try CookieFile(file, of: one, lockLimit: .seconds(60)) { clock.date.withLock { $0 } }
        try first.save()
        let second = try open(other)
        try set("a", "2", in: other, expiry: now.addingTimeInterval(1000))
        try second.save()
        return Outdated(storage: one, file: first, clock: clock)
    }

    @Test(
        "A cookie that has only expired is not removed from the file, because another process may have renewed it",
        arguments: [
            // In the second case, the time in the file is not over, because it is rounded up.
            (10, 20, ["b"]), (10.25, 10.5, []),
        ] as [(TimeInterval, TimeInterval, [String])]
    )
    func expiry(_ lifetime: TimeInterval, _ age: TimeInterval, _ others: [String]) throws {
        let process = try renewed(lasting: lifetime, others)
        process.clock.date.withLock { $0 += age }
        // As a storage deletes it.
        for cookie in process.storage.cookies ?? [] { process.storage.deleteCookie(cookie) }
        try process.file.save()
        #expect(try saved == ["a=2"] && pairs(process.storage) == ["a=2"])
    }

    @Test("A cookie that another process has renewed replaces the expired one that a storage still returns")
    func expiredInStorage() throws {
        let process = try renewed(lasting: 10)
        process.clock.date.withLock { $0 += 20 }
        #expect(pairs(process.storage) == ["a=1"])
        for _ in 0..<2 {
            try process.file.save()
            #expect(try saved == ["a=2"] && pairs(process.storage) == ["a=2"])
        }
    }

    @Test("A cookie of another process stays in the file if a storage has one in its place that no file can contain")
    func notInFile() throws {
        let (one, other) = (try makeStorage(), try makeStorage())
        let first = try open(one)
        one.setCookie(
            try #require(HTTPCookie(properties: [.name: "a", .value: "1;2", .domain: "a.test", .path: "/"]))
        )
        let second = try open(other)
        try set("a", "3", in: other)
        try second.save()
        for _ in 0..<2 {
            try first.save()
            #expect(try saved == ["a=3"] && pairs(one) == ["a=1;2"])
        }
    }

    @Test(
        "Cookies of which Foundation's storage has only one stay in the file, with the one of each process in its storage"
    )
    func sameText() throws {
        func set(_ name: String, _ path: String, in storage: HTTPCookieStorage) throws {
            let cookie = try #require(SetCookie("\(name)=1"))
            storage.setCookie(try #require(HTTPCookie(cookie, domain: "a.test", path: path, expiry: nil)))
        }
        let (one, other) = (try makeStorage(), try makeStorage())
        let (first, second) = (try open(one), try open(other))
        try set("b", "/a", in: one)
        try set("ab", "/", in: other)
        for _ in 0..<2 {
            try first.save()
            try second.save()
        }
        #expect(try saved == ["ab=1", "b=1"] && pairs(one) == ["b=1"] && pairs(other) == ["ab=1"])
        // A storage that has neither of them.
        let third = try makeStorage()
        let last = try open(third)
        for _ in 0..<2 { try last.save() }
        #expect(try saved == ["ab=1", "b=1"] && third.cookies?.count == 1)
    }

    @Test("A cookie that a response deletes while another process has locked the file does not come back")
    func deletionWhileSaving() async throws {
        let storage = try makeStorage()
        let cookies = try open(storage)
        for name in ["a", "sid"] { try set(name, "1", in: storage) }
        try await cookies.save()
        try set("a", "2", in: storage)
        // A cookie that only another process has.
        let other = try makeStorage()
        let second = try open(other)
        try set("b", "1", in: other)
        try await second.save()
        let lock = folder.url.appendingPathComponent(".cookies.txt.lock").path
        let descriptor = Foundation.open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        let result = Mutex<Result<Void, any Error>?>(nil)
        Thread.detachNewThread {
            let end = Result { try cookies.save() }
            result.withLock { $0 = end }
        }
        // The thread has taken its cookies when it waits for the lock.
        try await eventually(2) { try OpenFiles.count(of: lock) }
        storage.deleteCookie(try #require(storage.cookies?.first { $0.name == "sid" }))
        flock(descriptor, LOCK_UN)
        close(descriptor)
        try await eventually { result.withLock { $0 != nil } }
        try #require(result.withLock { $0 }).get()
        #expect(pairs(storage) == ["a=2", "b=1"])
        try await cookies.save()
        #expect(try saved == ["a=2", "b=1"] && pairs(storage) == ["a=2", "b=1"])
    }

    @Test("The waits of several calls do not add up")
    func waits() async throws {
        let storage = try makeStorage()
        let cookies = try CookieFile(file, of: storage, lockLimit: .milliseconds(500)) { [now] in now }
        let lock = folder.url.appendingPathComponent(".cookies.txt.lock").path
        let descriptor = Foundation.open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        defer { close(descriptor) }
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    await #expect(throws: POSIXError(.ETIMEDOUT)) { try await cookies.save() }
                }
            }
        }
        // One after the other, they would take 20 seconds.
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test("A file that another process has locked, a folder and a missing folder are errors")
    func errors() throws {
        let storage = try makeStorage()
        let cookies = try CookieFile(file, of: storage, lockLimit: .zero) { [now] in now }
        let lock = folder.url.appendingPathComponent(".cookies.txt.lock").path
        try set("a", "1", in: storage)
        try FileLock.hold(lock, until: .now, isKept: false) { _ in
            let error = #expect(throws: POSIXError.self) { try cookies.save() }
            #expect(error?.code == .ETIMEDOUT)
        }
        try cookies.save()
        #expect(try saved == ["a=1"])
        let directory = folder.url
        #expect(throws: POSIXError.self) { try CookieFile(directory, of: storage) }
        let missing = folder.url.appendingPathComponent("missing/file")
        let nowhere = try CookieFile(missing, of: storage)
        #expect(throws: POSIXError(.ENOENT)) { try nowhere.save() }
    }
}
#endif
