#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import Testing

/// What parsers and servers that we did not write make of our forms.
@Suite("Multipart forms in other programs", .needsServers, .timeLimit(.minutes(5)))
struct MultipartInteropTests {
    let servers: Servers
    let folder: URL

    init() throws {
        servers = try Servers()
        folder = servers.file("multipart-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func removeFolder() { try? FileManager.default.removeItem(at: folder) }

    /// Every byte, and what looks like the end of a line or of a part.
    private let content =
        Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7) }) + Data("\r\n--\r\n\r\r\n\n--x".utf8)

    private let names = [
        "plain", "Grüße 名前 👋🏽", "a\"b", "a\r\nX-Injected: b", "a\rb", "a\nb", "\r\n\r\n", "back\\slash\\", "a;b=c",
        "a'b", "%22", "",
    ]

    /// A name as WHATWG's rules have it on the wire.
    private func wire(_ name: String) -> String {
        let escapes: [Unicode.Scalar: String] = ["\"": "%22", "\r": "%0D", "\n": "%0A"]
        return name.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }

    // MARK: Python's parser

    private struct Parsed: Decodable {
        struct Part: Decodable {
            let fields: [[String]]
            let name: String?
            let fileName: String?
            let data: Data
        }

        let defects: [String]
        let parts: [Part]
        let preamble: String?
        let epilogue: String?
    }

    private func parse(_ form: MultipartFormData) throws -> Parsed {
        let file = folder.appendingPathComponent("form")
        try form.write(to: file)
        return try PythonScript("parse_multipart").run([form.contentType, file.path])
    }

    @Test("Python's mail parser finds every part byte for byte")
    func parsed() throws {
        defer { removeFolder() }
        let file = folder.appendingPathComponent("a.cer")
        try content.write(to: file)
        let content = content
        var form = MultipartFormData()
        for name in names {
            form.append(data: content, name: name)
            try form.append(data: Data(), name: name, fileName: name, contentType: "a/b")
            try form.append(file: file, name: name, fileName: name)
            try form.append(length: Int64(content.count), name: name, fileName: name) { InputStream(data: content) }
        }
        try form.append(headers: ["X-Own": "grün"], body: content)

        let parsed = try parse(form)

        #expect(parsed.defects.isEmpty && parsed.preamble == nil && parsed.epilogue == "")
        try #require(parsed.parts.count == names.count * 4 + 1)
        for (index, part) in parsed.parts.dropLast().enumerated() {
            // The backslash escapes in mail, but not in forms: of such names the field is looked at as it is.
            let fileName = wire(names[index / 4])
            // A line break that is CR or LF alone becomes both in the name of a control.
            let name = ["a%0Db", "a%0Ab"].contains(fileName) ? "a%0D%0Ab" : fileName
            let file = index % 4 == 0 ? "" : "; filename=\"\(fileName)\""
            #expect(part.fields.first == ["Content-Disposition", "form-data; name=\"\(name)\"\(file)"])
            if !name.contains("\\") {
                #expect(part.name == name)
                #expect(part.fileName == (index % 4 == 0 ? nil : fileName))
            }
            #expect(part.data == (index % 4 == 1 ? Data() : content))
            let types = [nil, "a/b", "application/x-x509-ca-cert", "application/octet-stream"]
            #expect(part.fields.dropFirst().map { $0 } == (types[index % 4].map { [["Content-Type", $0]] } ?? []))
        }
        #expect(parsed.parts.last?.fields == [["X-Own", "grün"]])
        #expect(parsed.parts.last?.data == content)
    }

    @Test("Other programs read a boundary that must be quoted", arguments: ["'()+_,-./:=?", "a b", "token"])
    func boundary(value: String) throws {
        defer { removeFolder() }
        var form = MultipartFormData(boundary: try MultipartBoundary(value))
        form.append(data: content, name: "a")
        let parsed = try parse(form)
        #expect(parsed.defects.isEmpty)
        #expect(parsed.parts.map(\.data) == [content])
    }

    // MARK: httpbin

    private struct Echo: Decodable, Sendable {
        let files: [String: String]
        let form: [String: String]
        let headers: [String: String]
    }

    @Test("httpbin returns the files and fields")
    func httpbin() async throws {
        defer { removeFolder() }
        let file = folder.appendingPathComponent("grün.png")
        try content.write(to: file)
        let manager = SessionManager(configuration: .ephemeral, transport: .curl(servers.options))
        let echo = await withCheckedContinuation { continuation in
            manager.post(
                servers.plainURL(.httpbin, "/post").absoluteString,
                parameters: ["author": "Grüße", "list": ["a"], "none": NSNull()],
                body: .multipart { form in
                    try form.append(file: file, name: "file")
                    try form.append(data: Data("text".utf8), name: "名前", fileName: "a\"\r\n.txt")
                },
                as: Echo.self,
                success: { continuation.resume(returning: Result<Echo, any Error>.success($1)) },
                failure: { continuation.resume(returning: .failure($1)) }
            )
        }
        let answer = try echo.get()
        let base64 = "data:image/png;base64,\(content.base64EncodedString())"
        let octets = "data:application/octet-stream;base64,\(content.base64EncodedString())"
        #expect(answer.files["file"] == base64 || answer.files["file"] == octets)
        #expect(answer.files["名前"] == "text" && answer.files.count == 2)
        #expect(answer.form == ["author": "Grüße", "list[]": "a", "none": ""])
        #expect(answer.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=Larkspur-") == true)
        #expect(answer.headers["Transfer-Encoding"] == nil)
    }

    // MARK: Much

    private struct Receipt: Decodable {
        struct Content: Decodable {
            let announced: Int
            let length: Int
            let other: Int
        }

        let status: Int32
        let peakKiB: Int
        let received: Content
    }

    @Test("A form of 2 GiB is sent with less than 64 MiB of memory, and has a known length")
    func large() throws {
        defer { removeFolder() }
        let size = 2 << 30
        let file = folder.appendingPathComponent("large")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        // Sparse: it takes no space.
        try handle.truncate(atOffset: UInt64(size))
        try handle.close()
        // Beside the tests' own executable.
        let upload = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("Upload")

        let receipt: Receipt = try PythonScript("receive_upload").run([upload.path, "--url", "{url}", file.path])

        #expect(receipt.status == 0)
        #expect(receipt.received.length == receipt.received.announced)
        // What is not zero is what stands between the parts.
        #expect(receipt.received.length - receipt.received.other == size)
        #expect((100..<1000).contains(receipt.received.other))
        #expect(receipt.peakKiB < 64 << 10, "\(receipt.peakKiB) KiB")
        print("2 GiB as a form: \(receipt.peakKiB) KiB at most")
    }
}
#endif
