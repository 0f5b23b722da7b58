import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Locks of files", .timeLimit(.minutes(5)))
struct FileLockTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.url.appendingPathComponent("lock").path }

    private func hold(_ limit: Duration = .seconds(60), isKept: Bool = false, _ body: () throws -> Void) throws {
        try FileLock.hold(path, until: .now + limit, isKept: isKept) { _ in try body() }
    }

    @Test("A lock that is held is an error after the limit, and free afterwards")
    func limit() throws {
        var isHeld = false
        try hold {
            #expect(throws: POSIXError(.ETIMEDOUT)) { try hold(.zero) { isHeld = true } }
            #expect(throws: POSIXError(.ETIMEDOUT)) { try hold(.milliseconds(1)) { isHeld = true } }
        }
        #expect(!isHeld)
        try hold(.zero) { isHeld = true }
        #expect(isHeld)
    }

    @Test("The lock is released after an error, and its file is removed or kept")
    func release() throws {
        #expect(throws: POSIXError(.ENOSPC)) { try hold { throw POSIXError(.ENOSPC) } }
        #expect(!FileManager.default.fileExists(atPath: path))
        try hold(.zero, isKept: true) {}
        #expect(FileManager.default.fileExists(atPath: path))
        try hold(.zero) {}
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("Threads that create and remove the file exclude each other", arguments: [false, true])
    func exclusion(isKept: Bool) async throws {
        // Not atomic: without the lock, threads would overwrite the numbers of others.
        let file = try folder.file("count", Data("0".utf8))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                let path = path
                group.addTask {
                    let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            continuation.resume(
                                returning: Result {
                                    for _ in 0..<40 {
                                        try FileLock.hold(path, until: .now + .seconds(120), isKept: isKept) { _ in
                                            let text = try String(contentsOf: file, encoding: .utf8)
                                            try Data("\((Int(text) ?? -1000) + 1)".utf8).write(to: file)
                                        }
                                    }
                                }
                            )
                        }
                    }
                    try result.get()
                }
            }
            try await group.waitForAll()
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == "240")
    }

    #if os(Linux)
    @Test("A process that has waited for a file that was removed takes the lock of the next file")
    func removedFile() async throws {
        let path = path
        func lock() throws -> Int32 {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
            return descriptor
        }
        func unlock(_ descriptor: Int32) {
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        let first = try lock()
        let isFree = Mutex(false)
        let result = Mutex<Result<Bool, any Error>?>(nil)
        Thread.detachNewThread {
            let end = Result {
                try FileLock.hold(path, until: .now + .seconds(120), isKept: false) { _ in isFree.withLock { $0 } }
            }
            result.withLock { $0 = end }
        }
        try await eventually(2) { try OpenFiles.count(of: path) }
        // As the holder does, but another process takes the lock of a new file before it releases the old one.
        unlink(path)
        let second = try lock()
        unlock(first)
        try await eventually(true) { () throws -> Bool in
            try OpenFiles.count(of: path) == 2 || result.withLock { $0 != nil }
        }
        isFree.withLock { $0 = true }
        unlock(second)
        try await eventually { result.withLock { $0 != nil } }
        #expect(try result.withLock { $0 }?.get() == true)
    }
    #endif

    @Test("Links, pipes, folders and missing folders are errors")
    func others() throws {
        try #require(symlink("target", path) == 0)
        #expect(throws: POSIXError(.ELOOP)) { try hold {} }
        unlink(path)
        try #require(mkfifo(path, 0o600) == 0)
        #expect(throws: POSIXError(.EINVAL)) { try hold {} }
        unlink(path)
        try #require(mkdir(path, 0o700) == 0)
        #expect(throws: POSIXError(.EISDIR)) { try hold {} }
        rmdir(path)
        let missing = path + "/missing"
        #expect(throws: POSIXError(.ENOENT)) { try FileLock.hold(missing, until: .now, isKept: false) { _ in } }
    }

    @Test("The lock of another user is refused", .enabled(if: geteuid() == 0))
    func otherUser() throws {
        try #require(FileManager.default.createFile(atPath: path, contents: nil) && chown(path, 65_534, 65_534) == 0)
        #expect(throws: POSIXError(.EPERM)) { try hold {} }
    }

    @Test("A file is changed under its lock, through links, and the lock disappears")
    func update() throws {
        let file = folder.url.appendingPathComponent("file")
        let link = folder.url.appendingPathComponent("link")
        try #require(symlink("file", link.path) == 0)
        try PrivateFile.update(link) { path in
            // The link may lead elsewhere meanwhile.
            #expect(path == file.path)
            // The file and its link have one lock.
            let error = #expect(throws: POSIXError.self) {
                try PrivateFile.update(file, until: .now) { _ in Data() }
            }
            #expect(error?.code == .ETIMEDOUT)
            return Data("new".utf8)
        }
        #expect(try Data(contentsOf: file) == Data("new".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["file", "link"])
    }

    @Test("The content that a killed process has left is removed by the next change, and not followed if it is a link")
    func remnants() throws {
        let file = folder.url.appendingPathComponent("file")
        let other = try folder.file("other", Data("other".utf8))
        let remnant = folder.url.appendingPathComponent(".file.new").path
        for isLink in [false, true] {
            if isLink {
                try #require(symlink("other", remnant) == 0)
            } else {
                try #require(FileManager.default.createFile(atPath: remnant, contents: Data("secret".utf8)))
            }
            try PrivateFile.update(file) { _ in Data("new".utf8) }
            #expect(try Data(contentsOf: file) == Data("new".utf8))
            #expect(try Data(contentsOf: other) == Data("other".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["file", "other"])
        }
    }

    @Test("On a file system without locks, a file is changed without one", arguments: [ENOSYS, EOPNOTSUPP, ENOLCK])
    func withoutLocks(code: Int32) throws {
        let file = folder.url.appendingPathComponent("file")
        func fail(_: Int32) -> Int32 {
            errno = code
            return -1
        }
        try PrivateFile.update(file, attempt: fail) { _ in
            // Another process may be at the same point, with the same name for the temporary file.
            try Data("other".utf8).write(to: folder.url.appendingPathComponent(".file.new"))
            return Data("new".utf8)
        }
        #expect(try Data(contentsOf: file) == Data("new".utf8))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        #expect(names == [".file.new", "file"])
        let path = path
        let error = #expect(throws: POSIXError.self) {
            try FileLock.hold(path, until: .now, isKept: true, attempt: fail) { _ in }
        }
        #expect(error?.code.rawValue == code)
        // The error of the change is none of the lock.
        var count = 0
        #expect(throws: POSIXError(.ENOLCK)) {
            try PrivateFile.update(file) { _ in
                count += 1
                throw POSIXError(.ENOLCK)
            }
        }
        #expect(count == 1)
    }
}
