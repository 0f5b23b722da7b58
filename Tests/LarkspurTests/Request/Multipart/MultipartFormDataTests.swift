import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Multipart forms", .timeLimit(.minutes(5)))
struct MultipartFormDataTests {
    let folder = TemporaryFolder()

    private func makeForm() throws -> MultipartFormData {
        MultipartFormData(boundary: try MultipartBoundary("B"))
    }

    private func text(of form: MultipartFormData) throws -> String { String(decoding: try form.data(), as: UTF8.self) }

    @Test("Parts are written byte for byte as in RFC 7578")
    func bytes() throws {
        var form = try makeForm()
        let file = try folder.file("root.cer", Data("certificate".utf8))
        form.append(text: "Ada", name: "author")
        try form.append(data: Data([0, 255]), name: "raw", fileName: "a.bin")
        try form.append(file: file, name: "file", headers: ["X-Order": "1"])
        try form.append(length: 3, name: "stream") { InputStream(data: Data("abc".utf8)) }
        try form.append(headers: ["X-First": "2", "content-disposition": "attachment"], body: Data("own".utf8))

        var expected = Data(
            """
            --B\r
            Content-Disposition: form-data; name="author"\r
            \r
            Ada\r
            --B\r
            Content-Disposition: form-data; name="raw"; filename="a.bin"\r
            Content-Type: application/octet-stream\r
            \r

            """.utf8
        )
        expected.append(contentsOf: [0, 255])
        expected.append(
            contentsOf: """
                \r
                --B\r
                Content-Disposition: form-data; name="file"; filename="root.cer"\r
                Content-Type: application/x-x509-ca-cert\r
                X-Order: 1\r
                \r
                certificate\r
                --B\r
                Content-Disposition: form-data; name="stream"\r
                \r
                abc\r
                --B\r
                content-disposition: attachment\r
                X-First: 2\r
                \r
                own\r
                --B--\r

                """.utf8
        )
        #expect(try form.data() == expected)
        #expect(form.contentLength == Int64(expected.count))
        #expect(form.contentType == "multipart/form-data; boundary=B")
    }

    @Test(
        "Parts of all kinds are written in order, to memory and to a file",
        arguments: ["data", "file", "stream", "all"]
    )
    func severalParts(kind: String) throws {
        var form = try makeForm()
        var expected = Data()
        for (index, text) in ["français", "日本語", "😃👍🏻🍻🎉"].enumerated() {
            let content = Data(text.utf8)
            let name = "part\(index)"
            switch kind == "all" ? ["data", "file", "stream"][index] : kind {
            case "data": try form.append(data: content, name: name, fileName: "\(name).png")
            case "file": try form.append(file: try folder.file("\(name).png", content), name: name)
            default:
                try form.append(length: Int64(content.count), name: name, fileName: "\(name).png") {
                    InputStream(data: content)
                }
            }
            let header = """
                --B\r
                Content-Disposition: form-data; name="\(name)"; filename="\(name).png"\r
                Content-Type: image/png\r
                \r

                """
            expected += Data(((index == 0 ? "" : "\r\n") + header).utf8) + content
        }
        expected += Data("\r\n--B--\r\n".utf8)
        let target = folder.url.appendingPathComponent("target")
        try form.write(to: target)

        #expect(try form.data() == expected)
        #expect(try Data(contentsOf: target) == expected)
        #expect(form.contentLength == Int64(expected.count))
    }

    @Test("Data may have a media type without a file name")
    func typedData() throws {
        var form = try makeForm()
        try form.append(data: Data("{}".utf8), name: "meta", contentType: "application/json")
        #expect(
            try text(of: form) == """
                --B\r
                Content-Disposition: form-data; name="meta"\r
                Content-Type: application/json\r
                \r
                {}\r
                --B--\r

                """
        )
        #expect(throws: LarkspurError.self) { try form.append(data: Data(), name: "a", contentType: "a/b\r\nX: y") }
    }

    @Test("A form without parts consists of its closing delimiter")
    func empty() throws {
        let form = try makeForm()
        #expect(form.isEmpty)
        #expect(try text(of: form) == "--B--\r\n")
        #expect(form.contentLength == 7)
    }

    @Test("Every form has a different boundary, of more than 100 random bits")
    func randomBoundary() {
        let boundaries = Set((0..<1000).map { _ in MultipartFormData().boundary.value })
        #expect(boundaries.count == 1000)
        for boundary in boundaries {
            #expect(boundary.utf8.count == 41)
            #expect(MultipartFormData().contentType.hasPrefix("multipart/form-data; boundary=Larkspur-"))
        }
    }

    @Test(
        "A boundary is valid by RFC 2046, and quoted if necessary",
        arguments: [
            ("a", "a"), ("a b", "\"a b\""), ("a:b", "\"a:b\""), ("'()+_,-./:=?z", "\"'()+_,-./:=?z\""),
            (String(repeating: "x", count: 70), String(repeating: "x", count: 70)),
            ("", nil), ("a ", nil), ("a\r\nb", nil), ("a\"b", nil), ("a;b", nil), ("ä", nil), ("*", nil),
            (String(repeating: "x", count: 71), nil),
        ]
    )
    func boundary(value: String, parameter: String?) {
        let boundary = try? MultipartBoundary(value)
        #expect(boundary?.value == (parameter == nil ? nil : value))
        #expect(boundary?.parameter == parameter)
    }

    @Test(
        "A header with a line break is an error",
        arguments: [
            ("X-A", "a\r\nX-B: b"), ("X-A", "a\nb"), ("X-A", "a\rb"), ("X-A", "a\u{0}b"), ("X-A\r\nX-B", "b"),
            ("", "a"),
            ("X A", "a"), ("X-A:", "b"),
        ]
    )
    func injection(name: String, value: String) throws {
        let headers = HTTPHeaders([HTTPHeaders.Field(name: name, value: value)])
        var form = try makeForm()
        let file = try folder.file("a.txt")
        #expect(throws: LarkspurError.self) {
            try form.append(data: Data(), name: "a", fileName: "a", headers: headers)
        }
        #expect(throws: LarkspurError.self) { try form.append(headers: headers, body: Data()) }
        #expect(throws: LarkspurError.self) { try form.append(file: file, name: "a", headers: headers) }
        #expect(throws: LarkspurError.self) {
            try form.append(length: 0, name: "a", headers: headers) { InputStream(data: Data()) }
        }
        #expect(throws: LarkspurError.self) {
            try form.append(data: Data(), name: "a", fileName: "a", contentType: "a/b\r\nX: y")
        }
        #expect(form.isEmpty)
    }

    @Test("Names cannot add lines, and the caller's fields take precedence")
    func names() throws {
        var form = try makeForm()
        form.append(text: "", name: "a\"\r\nX: y")
        try form.append(data: Data(), name: "ä", fileName: "\"; x=\"", headers: ["Content-Type": "a/b"])
        #expect(
            try text(of: form) == """
                --B\r
                Content-Disposition: form-data; name="a%22%0D%0AX: y"\r
                \r
                \r
                --B\r
                Content-Disposition: form-data; name="ä"; filename="%22; x=%22"\r
                Content-Type: a/b\r
                \r
                \r
                --B--\r

                """
        )
    }

    @Test(
        "Appending a file that cannot be sent is an error",
        arguments: ["missing", "folder", "http", "pipe"]
    )
    func noFile(kind: String) throws {
        let pipe = folder.url.appendingPathComponent("pipe")
        mkfifo(pipe.path, 0o600)
        let file: URL =
            switch kind {
            case "missing": folder.url.appendingPathComponent("missing")
            case "folder": folder.url
            case "pipe": pipe
            default: try #require(URL(string: "http://127.0.0.1/file"))
            }
        var form = try makeForm()
        let error = #expect(throws: LarkspurError.self) { try form.append(file: file, name: "a") }
        #expect(error?.code == .fileUnreadable)
        #expect(form.isEmpty)
    }

    @Test("An impossible length is an error, and a sum that overflows does not end the process")
    func lengths() throws {
        var form = try makeForm()
        let error = #expect(throws: LarkspurError.self) {
            try form.append(length: -1, name: "a") { InputStream(data: Data()) }
        }
        #expect(error?.code == .bodyUnreadable)
        for _ in 0..<3 { try form.append(length: .max, name: "a") { InputStream(data: Data()) } }
        #expect(form.contentLength == .max)
    }

    @Test("A form is written to a file completely or not at all")
    func writing() throws {
        var form = try makeForm()
        let source = try folder.file("source", Data(repeating: 7, count: 1_000_000))
        try form.append(file: source, name: "a")
        let target = try folder.file("target", Data("old".utf8))
        try form.write(to: target)
        #expect(try Data(contentsOf: target) == form.data())

        try Data("shorter".utf8).write(to: source)
        let error = #expect(throws: LarkspurError.self) { try form.write(to: target) }
        #expect(error?.code == .bodyUnreadable)
        #expect(try Data(contentsOf: target).count > 1_000_000)
        for place in [folder.url.appendingPathComponent("missing/target"), URL(string: "http://127.0.0.1/")] {
            let error = #expect(throws: LarkspurError.self) { try makeForm().write(to: try #require(place)) }
            #expect(error?.code == .fileUnwritable)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["source", "target"])
    }

    @Test("A form is written to a file with the longest possible name, and not to a folder")
    func targetNames() throws {
        var form = try makeForm()
        form.append(text: "Ada", name: "a")
        let long = folder.url.appendingPathComponent(String(repeating: "n", count: 255))
        try form.write(to: long)
        #expect(try Data(contentsOf: long) == form.data())

        let taken = folder.url.appendingPathComponent("folder", isDirectory: true)
        try FileManager.default.createDirectory(at: taken, withIntermediateDirectories: false)
        let error = #expect(throws: LarkspurError.self) { try form.write(to: taken) }
        #expect(error?.code == .fileUnwritable)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(Set(names) == [long.lastPathComponent, "folder"])
    }
}
