import Foundation
import Larkspur
import TestSupport
import Testing

@testable import LarkspurTesting

/// Files.
extension CassetteTests {
    @Test("In every mode, a damaged or foreign file is an error with its position, and is not changed")
    func brokenFiles() throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        let interaction = #"{"request": {"method": "GET", "url": "http://a"}, "response": {"status": 200}}"#
        let texts: [(String, String)] = [
            ("", "line 1, column 1: the document ends too early"),
            ("{\"larkspurCassette\": 1,\n \"interactions\": [", "line 2, column 19: the document ends too early"),
            ("{\"name\": 1}", "line 1, column 1: the file is no cassette, as it has no member larkspurCassette"),
            ("[]", "line 1, column 1: the file is no cassette"),
            (#"{"larkspurCassette": 2}"#, "line 1, column 22: the version of the format is not 1"),
            (#"{"larkspurCassette": 1}"#, "the member interactions is missing"),
            (#"{"larkspurCassette": 1, "interactions": {}}"#, "column 41: the member interactions is not an array"),
            (#"{"larkspurCassette": 1, "interactions": [1]}"#, "the member request is missing"),
            (wrap(interaction.replacing("200", with: "1e99")), "the member status is not a number from 100 to 999"),
            (wrap(interaction.replacing("200", with: String(repeating: "9", count: 400))), "the member status is not"),
            (wrap(interaction.replacing("200", with: "\"200\"")), "the member status is not"),
            (wrap(interaction.replacing("\"GET\"", with: "[]")), "the member method is not a string"),
            (wrap(interaction.replacing("200", with: "200, \"base64\": \"?\"")), "is not a string of base64"),
            (wrap(interaction.replacing("200", with: "200, \"headers\": {\"a\": 1}")), "the value of a field"),
            (wrap(interaction.replacing("200", with: "200, \"lines\": [1]")), "is not an array of strings"),
            (wrap(interaction) + "x", "there is something after the end"),
            (String(repeating: "[", count: 100_000), "the document is nested too deeply"),
            ("{\"a\": \"\u{01}\"}", "column 8: a string has a control character"),
            (#"{"a": "\ud800"}"#, "half of a pair is missing"),
            (#"{"a": 01}"#, "a number begins with a zero"),
        ]
        for (text, reason) in texts {
            for mode in [Cassette.Mode.record, .replay, .automatic] {
                try Data(text.utf8).write(to: file)
                let error = #expect(throws: CassetteError.self) { try cassette(mode) }
                #expect(error?.description.contains(reason) == true, "\(error?.description ?? "no error"): \(reason)")
                #expect(try self.text == text)
            }
        }
        try Data(wrap(interaction).utf8).write(to: file)
        #expect(try cassette(.replay).interactionCount == 1)
    }

    private func wrap(_ interaction: String) -> String {
        #"{"larkspurCassette": 1, "interactions": [\#(interaction)]}"#
    }

    /// The text is what version 1.0.0 writes. It never changes: later versions of 1 have to read it.
    @Test("A stored cassette is replayed")
    func stored() async throws {
        let text = """
            {
              "larkspurCassette": 1,
              "interactions": [
                {
                  "request": {
                    "method": "POST",
                    "url": "https://example.com/users",
                    "headers": {
                      "Content-Type": "application/json"
                    },
                    "json": {
                      "name": "Ada"
                    }
                  },
                  "response": {
                    "status": 201,
                    "headers": {
                      "Content-Type": "text/plain"
                    },
                    "lines": [
                      "one",
                      "two"
                    ]
                  }
                },
                {
                  "request": {
                    "method": "GET",
                    "url": "https://example.com/picture",
                    "headers": {}
                  },
                  "response": {
                    "status": 200,
                    "headers": {},
                    "base64": "AP8="
                  }
                }
              ]
            }

            """
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: file)
        #expect(try CassetteFile.write(CassetteFile.read(Data(text.utf8), name: "")) == Data(text.utf8))
        let manager = SessionManager(configuration: .ephemeral, transport: try cassette(.replay).transport)
        let created = try await manager.post("https://example.com/users", body: .json(["name": "Ada"])).string
        #expect(created == "one\ntwo")
        #expect(try await manager.get("https://example.com/picture").data == Data([0, 255]))
    }

    @Test("No truncated file and no changed byte ends the process", .seeded)
    func fuzzing() throws {
        let interaction = Interaction(
            request: .init(method: "GET", url: "http://a/b?c", headers: [], body: .text("a\nb")),
            response: .init(
                status: 200,
                headers: [.init(name: "A", value: "“b”\\\"")],
                body: RecordedBody(Data(#"[1,{"a":null,"b":[true,-1.5e3]}]"#.utf8), type: nil)
            )
        )
        let content = CassetteFile.write([interaction, interaction])
        #expect(try CassetteFile.read(content, name: "x").count == 2)
        #expect(CassetteFile.write(try CassetteFile.read(content, name: "x")) == content)
        for length in 0..<content.count - 1 {
            #expect(throws: CassetteError.self) { try CassetteFile.read(content.prefix(length), name: "x") }
        }
        var random = SeededGenerator()
        for _ in 0..<3_000 {
            var changed = content
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            // Some changes are of a text alone.
            _ = try? CassetteFile.read(changed, name: "x")
        }
    }

    @Test("A file of ten megabytes is read and written")
    func largeFile() throws {
        let line = String(repeating: "x", count: 999) + "\n"
        let body = RecordedBody(Data(String(repeating: line, count: 1_000).utf8), type: "text/plain")
        let interactions = (0..<10).map { number in
            Interaction(
                request: .init(method: "GET", url: "http://a/\(number)", headers: [], body: .none),
                response: .init(status: 200, headers: [], body: body)
            )
        }
        let content = CassetteFile.write(interactions)
        #expect(content.count > 10_000_000)
        #expect(try CassetteFile.read(content, name: "x").last?.response.body.content.count == 1_000_000)
    }

    @Test("A missing file is an error in replay mode only, and a file that another program changed is not replaced")
    func foreignChanges() async throws {
        let missing = #expect(throws: CassetteError.self) { try self.cassette(.replay) }
        #expect(missing?.description == "The cassette \(file.path) does not exist.")

        let server = try LoopbackServer()
        let cassette = try self.cassette(.automatic)
        try cassette.save()
        #expect(!FileManager.default.fileExists(atPath: file.path))
        _ = try await manager(cassette, server).get("get").data
        try cassette.save()
        _ = try await manager(cassette, server).get("uuid").data
        try Data("other".utf8).write(to: file)
        let error = #expect(throws: CassetteError.self) { try cassette.save() }
        #expect(error?.description.contains("was changed by others") == true)
        #expect(try text == "other")
    }

    @Test("The file can be read by its owner only, even if it was readable by all")
    func permissions() async throws {
        let server = try LoopbackServer()
        let cassette = try self.cassette(.record)
        for path in ["get", "uuid"] {
            _ = try await manager(cassette, server).get(path).data
            try cassette.save()
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        }
        #expect(try self.cassette(.replay).interactionCount == 2)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
                == [file.lastPathComponent]
        )
    }

    @Test("Every text is the same after writing and reading", arguments: ["text", "lines"])
    func texts(form: String) throws {
        let characters: [UnicodeScalar] =
            (0..<0x300).compactMap { UnicodeScalar($0) } + ["\u{2028}", "\u{FEFF}", "\u{1F600}", "\u{10FFFF}"]
        let text = characters.map { String($0) + (form == "lines" ? "\n" : "") }.joined()
        let interactions = (0..<3).map { number in
            Interaction(
                request: .init(method: "GET", url: "http://a/\(number)", headers: [], body: .text(text)),
                response: .init(status: 200, headers: [.init(name: "A", value: text)], body: .bytes(Data(text.utf8)))
            )
        }
        let file = CassetteFile.write(interactions)
        let read = try CassetteFile.read(file, name: "x")
        #expect(read.map(\.request.url) == interactions.map(\.request.url))
        #expect(read.allSatisfy { $0.request.body.content == Data(text.utf8) })
        #expect(read.allSatisfy { $0.response.headers.first?.value == text })
        #expect(read.allSatisfy { $0.response.body.content == Data(text.utf8) })
        // Foundation reads it too.
        #expect(try JSONSerialization.jsonObject(with: file) is [String: Any])
        #expect(try CassetteFile.read(CassetteFile.write([]), name: "x").isEmpty)
    }

    @Test("A cassette is saved at the end of withCassette, after an error too, and when it is released")
    func ends() async throws {
        struct Oops: Error {}
        let server = try LoopbackServer()
        await #expect(throws: Oops.self) {
            try await withCassette("one", in: folder.url) { cassette in
                _ = try await manager(cassette, server).get("get").data
                throw Oops()
            }
        }
        let one = folder.url.appendingPathComponent("one.json")
        #expect(try Cassette(one, mode: .replay).interactionCount == 1)
        let count = try await withCassette("one", in: folder.url) { cassette in
            _ = try await manager(cassette, server).get("get").data
            return cassette.interactionCount
        }
        #expect(count == 1 && server.requests.count == 1)

        var released: Cassette? = try cassette(.record)
        _ = try await released?.session().data(from: server.url("/get"))
        released = nil
        try await eventually { FileManager.default.fileExists(atPath: file.path) }
    }
}
