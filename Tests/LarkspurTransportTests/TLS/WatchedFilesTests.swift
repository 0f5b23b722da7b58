#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite("Files that are watched for changes")
struct WatchedFilesTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("watched-\(UUID().uuidString)")
    private let start = LoopTime.now

    private func file(_ text: String, _ name: String = "file") throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file
    }

    /// A version that was looked at long after the last change.
    private func settled(_ file: URL) -> FileVersion {
        FileVersion(of: file.path, at: Date().timeIntervalSince1970 + 60)
    }

    @Test("The first look reports a change, and a look within a second none")
    func firstLook() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try file("one")
        var watch = WatchedFiles([file])
        var changes = [watch.haveChanged(at: start)]
        try Data("other".utf8).write(to: file)
        changes += [0.999, 1].map { watch.haveChanged(at: start.adding($0)) }
        #expect(changes == [true, false, true])
    }

    @Test("A file that is created or removed has changed")
    func creationAndRemoval() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("file")
        var watch = WatchedFiles([file])
        var changes = [0, 1].map { watch.haveChanged(at: start.adding($0)) }
        _ = try self.file("one")
        changes.append(watch.haveChanged(at: start.adding(2)))
        try FileManager.default.removeItem(at: file)
        changes += [3, 4].map { watch.haveChanged(at: start.adding($0)) }
        #expect(changes == [true, false, true, true, false])
    }

    @Test("A replaced file has another version, even with the same size and times")
    func replacement() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try file("one")
        let other = try self.file("two", "other")
        let times = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)]
        for file in [file, other] { try FileManager.default.setAttributes(times, ofItemAtPath: file.path) }
        let old = settled(file)
        #expect(settled(file) == old)
        #expect(rename(other.path, file.path) == 0)
        #expect(settled(file) != old)
    }

    @Test("A file that was changed just before a look is read once more")
    func unsettledFile() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try file("one")
        let now = Date().timeIntervalSince1970
        #expect(FileVersion(of: file.path, at: now).isUnsettled)
        #expect(!FileVersion(of: file.path, at: now + 1).isUnsettled)
        #expect(!FileVersion(of: folder.appendingPathComponent("none").path, at: now).isUnsettled)
    }
}
#endif
