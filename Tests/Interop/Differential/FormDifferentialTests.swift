#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import TestSupport
import Testing

@Suite("Forms, beside three parsers", .needsServers, .seeded, .differentialLimit)
struct FormDifferentialTests {
    private struct Form: Encodable {
        let type: String
        let body: Data
    }

    private struct Part: Decodable, Hashable {
        var name: String?
        var file: String?
        var type: String?
        var data: Data
    }

    private struct Generator {
        var random: SeededGenerator

        mutating func pick<Value>(_ values: [Value], or value: Value) -> Value {
            values.randomElement(using: &random) ?? value
        }

        private static let letters = [
            "a", "B", "7", " ", ";", "=", "'", "é", "名", "👋", ".", "-", "_", "%", "(", ",", ":", "/", "\"", "\n", "\r",
        ]

        mutating func name() -> String {
            "n" + (0..<Int.random(in: 0...8, using: &random)).map { _ in pick(Self.letters, or: "") }.joined() + "z"
        }

        /// Text with what looks like the end of a line or of a part.
        mutating func text(_ boundary: String) -> String {
            let words = ["a", "é", "\r\n", "\n", "\r", "--", "--\(boundary.prefix(5))", "\r\n--", " ", "=", "\t"]
            return (0..<Int.random(in: 0...40, using: &random)).map { _ in pick(words, or: "") }.joined()
        }

        /// A boundary of all characters that boundaries may have.
        mutating func boundary() -> String {
            let letters = Array("0123456789abcxyzABCXYZ'()+_,-./:=?").map(String.init)
            return "b" + (0..<Int.random(in: 6...60, using: &random)).map { _ in pick(letters, or: "") }.joined()
        }
    }

    /// A name as WHATWG's rules have it on the wire: a line break is CR and LF in the name of a control.
    private func wire(_ name: String, isControl: Bool) -> String {
        var text = ""
        var last: Unicode.Scalar?
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": text += "%22"
            case "\n" where isControl: text += last == "\r" ? "" : "%0D%0A"
            case "\r": text += isControl ? "%0D%0A" : "%0D"
            case "\n": text += "%0A"
            default: text.unicodeScalars.append(scalar)
            }
            last = scalar
        }
        return text
    }

    @Test("Random forms have the parts that python-multipart, werkzeug and Python's mail parser find")
    func parts() throws {
        let count = DifferentialRun.count(300)
        var generator = Generator(random: SeededGenerator())
        var forms: [Form] = []
        var expected: [[Part]] = []
        for _ in 0..<count {
            let boundary = generator.boundary()
            var form = MultipartFormData(boundary: try MultipartBoundary(boundary))
            var parts: [Part] = []
            for _ in 0..<Int.random(in: 1...5, using: &generator.random) {
                let name = generator.name()
                let wired = wire(name, isControl: true)
                if Bool.random(using: &generator.random) {
                    let text = generator.text(boundary)
                    form.append(text: text, name: name)
                    parts.append(Part(name: wired, data: Data(text.utf8)))
                } else {
                    let file = generator.name()
                    let length = generator.pick([0, 1, 100, 5000, 70_000], or: 0)
                    let data = generator.random.bytes(length) + Data(generator.text(boundary).utf8)
                    let type = generator.pick(["a/b", "text/plain; charset=utf-8", "image/png"], or: "a/b")
                    try form.append(data: data, name: name, fileName: file, contentType: type)
                    parts.append(Part(name: wired, file: wire(file, isControl: false), type: type, data: data))
                }
            }
            forms.append(Form(type: form.contentType, body: try form.data()))
            expected.append(parts)
        }
        let readings: [[String: [Part]]] = try DifferentialRun.readings(of: forms, by: "differential_forms")
        try #require(readings.count == count)
        for parser in ["python_multipart", "werkzeug", "email"] {
            var run = DifferentialRun("Forms beside \(parser)")
            for (index, parts) in expected.enumerated() {
                let found = readings[index][parser] ?? []
                var wanted = parts
                for index in wanted.indices {
                    // It does not tell the types.
                    if parser == "python_multipart" { wanted[index].type = nil }
                    // It reads what browsers write in place of a quotation mark.
                    guard parser == "werkzeug" else { continue }
                    wanted[index].name = wanted[index].name?.replacing("%22", with: "\"")
                    wanted[index].file = wanted[index].file?.replacing("%22", with: "\"")
                }
                // The parser of fields and files lists each apart.
                let isSame =
                    parser == "email" ? found == wanted : Set(found) == Set(wanted) && found.count == wanted.count
                if isSame {
                    run.agree()
                } else {
                    let names = { (parts: [Part]) in
                        parts.map { "\($0.name ?? "-"), \($0.file ?? "-"), \($0.type ?? "-"), \($0.data.count)" }
                    }
                    run.differ(nil, "\(names(wanted)): \(names(found))")
                }
            }
            run.finish(agreeing: count / 2)
        }
    }
}
#endif
