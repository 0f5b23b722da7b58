import Foundation
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Private files", .timeLimit(.minutes(5)))
struct PrivateFileTests {
    private let folder = TemporaryFolder()

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }
    private func write(_ text: String, to name: String) throws {
        try PrivateFile.write(Data(text.utf8), to: folder.url.appendingPathComponent(name))
    }
    private func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
    }
    private func mode(_ name: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path(name), &status) == 0)
        return status.st_mode
    }

    @Test("A file is created or replaced, and only its owner may read it")
    func files() throws {
        try write("a", to: "new")
        try #require(chmod(path("new"), 0o644) == 0)
        try write("b", to: "new")
        #expect(try text("new") == "b" && mode("new") & 0o777 == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["new"])
    }

    @Test("A file that is too large is an error, unless only its start is read")
    func limits() throws {
        try write("abcdef", to: "file")
        let path = path("file")
        #expect(throws: POSIXError(.EFBIG)) { try WholeFile.read(path, limit: 5) }
        #expect(try WholeFile.read(path, limit: 6) == Data("abcdef".utf8))
        for (limit, text) in [(0, ""), (5, "abcde"), (6, "abcdef"), (7, "abcdef")] {
            #expect(try WholeFile.read(path, limit: limit, isTruncated: true) == Data(text.utf8))
        }
    }

    @Test("A link stays, and its target is created or replaced", arguments: ["target", "absolute", "chain"])
    func links(kind: String) throws {
        let target = kind == "target" ? "target" : path("target")
        try #require(symlink(target, path(kind == "chain" ? "middle" : "link")) == 0)
        if kind == "chain" { try #require(symlink("middle", path("link")) == 0) }
        for content in ["a", "b"] {
            try write(content, to: "link")
            #expect(text("target") == content)
            #expect(try mode("link") & S_IFMT == S_IFLNK && mode("target") & 0o7777 == 0o600)
        }
    }

    @Test("A cycle of links is an error")
    func circle() throws {
        try #require(symlink("b", path("a")) == 0 && symlink("a", path("b")) == 0)
        #expect(throws: POSIXError(.ELOOP)) { try write("x", to: "a") }
    }

    @Test("Links, devices and pipes of other users are refused", .enabled(if: geteuid() == 0))
    func others() throws {
        try #require(symlink("target", path("link")) == 0 && lchown(path("link"), 65_534, 65_534) == 0)
        try #require(mkfifo(path("pipe"), 0o666) == 0 && chown(path("pipe"), 65_534, 65_534) == 0)
        let link = #expect(throws: PrivateFile.Refusal.self) { try write("x", to: "link") }
        let pipe = #expect(throws: PrivateFile.Refusal.self) { try write("x", to: "pipe") }
        #expect(link?.message == "The file \(path("link")) is a symbolic link of another user.")
        #expect(pipe?.message == "The file \(path("pipe")) is a device or a pipe of another user.")
        #expect(text("target") == nil)
    }

    @Test("Pipes and devices are written to, and stay")
    func special() throws {
        try #require(mkfifo(path("pipe"), 0o600) == 0)
        let reader = open(path("pipe"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        try write("abc", to: "pipe")
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(reader, &bytes, 8) == 3 && bytes.prefix(3).elementsEqual("abc".utf8))
        #expect(try mode("pipe") & S_IFMT == S_IFIFO)
        try #require(symlink("/dev/null", path("null")) == 0)
        try write("abc", to: "null")
        #expect(try mode("null") & S_IFMT == S_IFLNK)
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test("The file of the standard output is appended to")
    func standardOutput() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            for text in ["one", "two"] {
                try PrivateFile.write(Data(text.utf8), to: URL(fileURLWithPath: "/dev/stdout"))
            }
        }
        let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(text.contains("onetwo"))
    }

    @Test("A folder and a missing folder are errors")
    func inFolder() throws {
        try #require(mkdir(path("folder"), 0o700) == 0)
        #expect(throws: POSIXError.self) { try write("x", to: "folder") }
        #expect(throws: POSIXError(.ENOENT)) { try write("x", to: "missing/x") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["folder"])
    }
}
