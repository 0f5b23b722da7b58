import HTTPSyntax
import LarkspurCredentials
import TestSupport
import Testing

@Suite("netrc files on disk")
struct NetrcFileTests {
    private static let text = "machine h.test login ada password secret\n"

    let folder = TemporaryFolder()

    private func file(_ name: String, _ text: String = text, mode: Int = 0o600) throws -> URL {
        let file = try folder.file(name, Data(text.utf8))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        return file
    }

    @Test("A file that only its owner may read is read", arguments: [0o600, 0o400, 0o700, 0o611])
    func protected(mode: Int) throws {
        #expect(try Netrc(contentsOf: try file("netrc", mode: mode)).entry(forHost: "h.test")?.password == "secret")
    }

    @Test(
        "A file that the group or others can read or write is an error with its path",
        arguments: [0o640, 0o604, 0o620, 0o602, 0o644, 0o666]
    )
    func unprotected(mode: Int) throws {
        let file = try file("netrc", mode: mode)
        let error = #expect(throws: NetrcError.self) { try Netrc(contentsOf: file) }
        #expect(error?.reason == .unprotected && error?.path == file.path && error?.line == nil)
        #expect(error?.message.hasPrefix("\(file.path): Other users") == true, "\(error?.message ?? "")")
    }

    @Test("An error in a file names its path and line")
    func malformed() throws {
        let file = try file("netrc", Self.text + "machine h.test login \"secret")
        let error = #expect(throws: NetrcError.self) { try Netrc(contentsOf: file) }
        #expect(error?.reason == .malformed && error?.path == file.path && error?.line == 2)
        #expect(error?.message.hasPrefix("\(file.path):2: ") == true && error?.message.contains("secret") == false)
        #expect(error?.localizedDescription == error?.message && error.map { "\($0)" } == error?.message)
    }

    @Test("A word that is not UTF-8 is malformed, but a comment may have any bytes")
    func encoding() throws {
        let file = try file("netrc")
        try (Data("# ".utf8) + [0xE4, 0x0A] + Data(Self.text.utf8)).write(to: file)
        #expect(try Netrc(contentsOf: file).entries.count == 1)
        try (Data(Self.text.utf8) + Data("machine x password ".utf8) + [0xE4]).write(to: file)
        let error = #expect(throws: NetrcError.self) { try Netrc(contentsOf: file) }
        #expect(error?.reason == .malformed && error?.line == 2)
    }

    @Test("A missing file, a folder, a pipe, a large file and another URL cannot be read")
    func unreadable() throws {
        let pipe = folder.url.appendingPathComponent("pipe")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        let large = try file("large", String(repeating: "\n", count: 1 << 20) + Self.text)
        let missing = folder.url.appendingPathComponent("missing")
        for file in [missing, folder.url, pipe, large, try #require(URL(string: "https://h.test/netrc"))] {
            let error = #expect(throws: NetrcError.self) { try Netrc(contentsOf: file) }
            #expect(error?.reason == .unreadable, "\(file)")
        }
        let full = try file("full", String(repeating: "\n", count: (1 << 20) - Self.text.utf8.count) + Self.text)
        #expect(try Netrc(contentsOf: full).entries.count == 1)
    }

    @Test("The user's file is the one that NETRC names, otherwise .netrc in the home folder")
    func place() throws {
        let home = folder.url.path
        #expect(Netrc.userFile(["HOME": "/h"]).path == "/h/.netrc")
        #expect(Netrc.userFile(["HOME": "/h", "NETRC": ""]).path == "/h/.netrc")
        #expect(Netrc.userFile(["HOME": "/h", "NETRC": "/n/own"]).path == "/n/own")
        #expect(Netrc.userFile(["HOME": "/h", "NETRC": "~/own"]).path == "/h/own")
        #expect(Netrc.userFile(["NETRC": "~/own"]).path == NSHomeDirectory() + "/own")

        #expect(try Netrc.ofUser(["HOME": home]) == nil)
        #expect(try Netrc.ofUser(["HOME": home + "/missing"]) == nil)
        #expect(try Netrc.ofUser(["HOME": home, "NETRC": home + "/own"]) == nil)
        _ = try file(".netrc")
        _ = try file("own", "machine h.test password own")
        #expect(try Netrc.ofUser(["HOME": home])?.entry(forHost: "h.test")?.password == "secret")
        let own = ["HOME": home, "NETRC": home + "/own"]
        #expect(try Netrc.ofUser(own)?.entry(forHost: "h.test")?.password == "own")
        #expect(try Netrc.ofUser(["HOME": home, "NETRC": "/dev/null"]) == nil)
        #expect(throws: NetrcError.self) { try Netrc.ofUser(["NETRC": "/dev/zero"]) }
        _ = try file("own", mode: 0o644)
        #expect(throws: NetrcError.self) { try Netrc.ofUser(own) }
    }
}
