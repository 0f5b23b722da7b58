#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("The file of a download")
struct DownloadFileTests {
    let folder: DownloadFolder

    init() throws { folder = try DownloadFolder() }

    /// Leaves a file with content, and says where.
    private func leave(_ text: String) throws -> String {
        let file = try DownloadFile(of: nil, in: folder.url)
        try Data(text.utf8).withUnsafeBytes { try file.write($0) }
        return file.close().path
    }

    private func resumption(_ path: String, received: Int64 = 3, total: Int64? = 10) throws -> ResumeData {
        ResumeData(
            url: try #require(URL(string: "http://localhost/")),
            fields: [:],
            validator: .entityTag("\"a\""),
            file: path,
            total: total,
            received: received,
            date: Date()
        )
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test(
        "Only an absolute path without .. and with the name of a partial download belongs to a download",
        arguments: [
            ("/tmp/", true), ("/tmp/\u{301}a/", true), ("/", true), ("", false), ("/tmp/../", false),
            ("/tmp/../\u{301}a/", false), ("/tmp/a\u{600}/../\u{FE0F}b/", false),
        ]
    )
    func ownNames(folder: String, isOwn: Bool) {
        let name = "Larkspur-1-E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        #expect(DownloadFile.isOwnName(ofFileAt: folder + name + ".tmp") == isOwn)
        for other in ["x" + name + ".tmp", name, name + ".tmp\u{301}", "Larkspur-1\u{301}.tmp"] {
            #expect(!DownloadFile.isOwnName(ofFileAt: folder + other))
        }
    }

    @Test("Content is appended to the file, whose whole existing content is used")
    func append() throws {
        let path = try leave("abcde")
        let file = try #require(DownloadFile(try resumption(path, received: 3), of: nil))
        #expect(file.length == 5)
        try Data("fg".utf8).withUnsafeBytes { try file.write($0) }
        #expect(file.length == 7)
        #expect(try text(file.close().path) == "abcdefg")
    }

    @Test("A file that is already complete loses its last byte, which is requested again")
    func whole() throws {
        let path = try leave("abcde")
        let file = try #require(DownloadFile(try resumption(path, received: 5, total: 5), of: nil))
        #expect(file.length == 4)
        try Data("E".utf8).withUnsafeBytes { try file.write($0) }
        #expect(try text(file.close().path) == "abcdE")
    }

    @Test("A file that is shorter or longer than possible is not used, and is removed", arguments: [6...9, 3...4])
    func length(_ lengths: ClosedRange<Int64>) throws {
        let path = try leave("abcde")
        let data = try resumption(path, received: lengths.lowerBound, total: lengths.upperBound)
        #expect(DownloadFile(data, of: nil) == nil)
        #expect(folder.files.isEmpty)
    }

    @Test("A copy of the file's descriptor in a child process keeps no other download from the file")
    func copied() throws {
        let file = try DownloadFile(of: nil, in: folder.url)
        try Data("abcde".utf8).withUnsafeBytes { try file.write($0) }
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
        let descriptor = try #require(
            descriptors.first {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == file.path
            }
        )
        let copy = dup(descriptor)
        defer { close(copy) }
        #expect(DownloadFile(try resumption(file.path), of: nil) == nil)
        let next = try #require(DownloadFile(try resumption(file.close().path), of: nil))
        #expect(next.length == 5)
    }

    @Test("A file that one download writes is not used by another")
    func locked() throws {
        let path = try leave("abcde")
        let first = DownloadFile(try resumption(path), of: nil)
        #expect(first != nil)
        #expect(DownloadFile(try resumption(path), of: nil) == nil)
        first?.close()
        #expect(DownloadFile(try resumption(path), of: nil) != nil)
        let new = try DownloadFile(of: nil, in: folder.url)
        #expect(DownloadFile(try resumption(new.path, received: 1), of: nil) == nil)
        // Too short, but somebody is about to make it longer.
        #expect(folder.files.count == 1)
    }

    @Test("Abandoned files are removed when they are old enough, and other files are not")
    func abandoned() throws {
        let old = try leave("abcde")
        let young = try leave("abcde")
        let other = folder.url.appendingPathComponent("Larkspur-precious.txt").path
        try Data("abcde".utf8).write(to: URL(fileURLWithPath: other))
        let used = try DownloadFile(of: nil, in: folder.url)
        let yesterday = timeval(tv_sec: time(nil) - 86_400, tv_usec: 0)
        for path in [old, other, used.path] { #expect(utimes(path, [yesterday, yesterday]) == 0) }
        #expect(CurlURLSession.discardPartialDownloads(in: folder.url, unwrittenFor: .seconds(90_000)) == 0)
        #expect(CurlURLSession.discardPartialDownloads(in: folder.url, unwrittenFor: .seconds(3_600)) == 1)
        let left = [young, other, used.path].map { URL(fileURLWithPath: $0).lastPathComponent }
        #expect(folder.files == left.sorted())
        #expect(symlink(young, old) == 0)
        #expect(CurlURLSession.discardPartialDownloads(in: folder.url, unwrittenFor: .zero) == 1)
        #expect(folder.files.count == 3)
        let missing = folder.url.appendingPathComponent("missing", isDirectory: true)
        #expect(CurlURLSession.discardPartialDownloads(in: missing, unwrittenFor: .zero) == 0)
        used.close()
    }

    @Test("Links, pipes, folders and missing files are not used")
    func otherThings() throws {
        let path = try leave("abcde")
        let name = folder.url.appendingPathComponent("Larkspur-1-\(UUID().uuidString).tmp").path
        #expect(DownloadFile(try resumption(name), of: nil) == nil)
        #expect(symlink(path, name) == 0)
        #expect(DownloadFile(try resumption(name), of: nil) == nil)
        unlink(name)
        #expect(mkfifo(name, 0o600) == 0)
        #expect(DownloadFile(try resumption(name, received: 0), of: nil) == nil)
        unlink(name)
        #expect(mkdir(name, 0o700) == 0)
        #expect(DownloadFile(try resumption(name, received: 0), of: nil) == nil)
        rmdir(name)
        // A second name means that somebody else has a use for it.
        #expect(link(path, name) == 0)
        #expect(DownloadFile(try resumption(name), of: nil) == nil)
        unlink(name)
        #expect(DownloadFile(try resumption(path), of: nil) != nil)
    }

    @Test("Only a file whose name has the form of a partial download is used")
    func names() throws {
        let path = try leave("abcde")
        let other = folder.url.appendingPathComponent("precious").path
        #expect(rename(path, other) == 0)
        #expect(DownloadFile(try resumption(other), of: nil) == nil)
        #expect(try text(other) == "abcde")
    }

    private func permissions(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status.st_mode & 0o777
    }

    @Test("A file is private until it is complete, and then has the permissions of a new file")
    func permissions() throws {
        let ordinary = folder.url.appendingPathComponent("ordinary").path
        close(open(ordinary, O_WRONLY | O_CREAT | O_EXCL, 0o666))

        let file = try DownloadFile(of: nil, in: folder.url)
        #expect(try permissions(file.path) == 0o600)
        #expect(try permissions(file.finish().path) == permissions(ordinary))
        #expect(try permissions(leave("abcde")) == 0o600)
        #expect(folder.files.count == 3)
    }

    @Test("A resumed file has the permissions of a new file when it is complete")
    func permissionsOfResumed() throws {
        let ordinary = folder.url.appendingPathComponent("ordinary").path
        close(open(ordinary, O_WRONLY | O_CREAT | O_EXCL, 0o666))
        let file = try #require(DownloadFile(try resumption(leave("abcde"), received: 3), of: nil))

        #expect(try permissions(file.finish().path) == permissions(ordinary))
    }

    @Test("Only private permissions are replaced, and a folder that cannot be written gives none")
    func replacedPermissions() throws {
        let file = folder.url.appendingPathComponent("file")
        close(open(file.path, O_WRONLY | O_CREAT | O_EXCL, 0o600))
        NewFilePermissions.replacePrivateOnes(ofFileAt: file)
        #expect(try permissions(file.path) == NewFilePermissions.inFolder(folder.url))
        #expect(chmod(file.path, 0o400) == 0)
        NewFilePermissions.replacePrivateOnes(ofFileAt: file)
        #expect(try permissions(file.path) == 0o400)
        #expect(NewFilePermissions.inFolder(folder.url.appendingPathComponent("missing")) == nil)
    }

    @Test("A file that is released while it is open is removed")
    func released() throws {
        var file: DownloadFile? = try DownloadFile(of: nil, in: folder.url)
        #expect(file?.length == 0)
        #expect(folder.files.count == 1)
        file = nil
        #expect(folder.files.isEmpty)
    }
}
#endif
