#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import TestSupport
import Testing

/// The names of files that we read, and those that a parser reads that we did not write.
@Suite("Content-Disposition, beside pyrfc6266", .needsServers, .timeLimit(.minutes(5)))
struct ContentDispositionInteropTests {
    /// Makes fields of random parts.
    private struct Generator {
        var random: SeededGenerator

        mutating func pick(_ values: [String]) -> String { values.randomElement(using: &random) ?? "" }

        mutating func happens(oneIn count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

        /// Makes a field that is nearly always valid.
        mutating func field() -> String {
            var field = pick(["attachment", "inline", "Attachment", "x-own"])
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                field += pick([";", "; ", " ;", " ; ", ";\t"]) + parameter()
            }
            if happens(oneIn: 10) { field += ";" }
            if happens(oneIn: 4) { mutate(&field) }
            return field
        }

        private mutating func parameter() -> String {
            let name = pick(["filename", "filename", "FileName", "filename*", "filename*", "FILENAME*", "size", "x*"])
            let equals = pick(["=", "=", "=", " =", "= "])
            if name.hasSuffix("*") { return name + equals + extendedValue() }
            return name + equals + (happens(oneIn: 2) ? token() : quotedString())
        }

        private mutating func token() -> String {
            (0...Int.random(in: 0...6, using: &random)).map { _ in
                pick(["a", "Z", "7", ".", "-", "!", "#", "'", "%", "%41", "_", "|", "~", "+", "^", "`", "$", "&"])
            }.joined()
        }

        private mutating func quotedString() -> String {
            let parts = [
                "a", "B", " ", ";", "=", ",", "\\\"", "\\\\", "\\a", "(", ")", "[", "@", "ä", "€", "%41", "'",
                "utf-8''",
                "filename=x", "\u{1F600}", "e\u{301}",
            ]
            let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in pick(parts) }.joined()
            return "\"\(text)\""
        }

        private mutating func extendedValue() -> String {
            let charset = pick(["UTF-8", "utf-8", "ISO-8859-1", "iso-8859-1", "Utf-8"])
            let octets = (0...Int.random(in: 0...5, using: &random)).map { _ in
                pick(["a", "Z", ".", "-", "!", "%20", "%41", "%C3%A4", "%e2%82%ac", "%e4", "%C3", "%82", "%2F", "_"])
            }
            return charset + "'" + pick(["", "", "en"]) + "'" + octets.joined()
        }

        private mutating func mutate(_ field: inout String) {
            var characters = Array(field)
            let index = Int.random(in: 0..<characters.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: characters.remove(at: index)
            case 1: characters[index] = Character(pick(["\"", "\\", ";", "=", "'", "*", "%", " ", ",", "/", "x"]))
            default:
                characters.insert(Character(pick(["\"", "\\", ";", "=", "'", "*", "%", " ", ",", "ä"])), at: index)
            }
            field = String(characters)
        }
    }

    private struct Parsed: Decodable {
        let name: String?
        let failure: String?
    }

    /// Why the two differ about a field; nil if there is no good reason.
    private func reason(_ field: String, ours: String?, theirs: Parsed) -> String? {
        let names = field.matches(of: /(?i)[;\s](filename\*?|size|x\*?)\s*=/).map { $0.1 }
        if ours == nil, Set(names.map { $0.lowercased() }).count < names.count {
            return "of two names in different case we take neither (RFC 6266, 4.1), as names have no case"
        }
        if theirs.failure == "field", field.contains(/;\s*;/) || field.contains(/;\s*$/) {
            return "empty parameters are nothing to us (RFC 9110, 5.6.6)"
        }
        if theirs.failure == "field", field.contains(/^(?i)(inline|attachment)[^;\s]/) {
            return "they take a type that begins like a known one for that one"
        }
        if theirs.failure == "field", field.contains(/[;\s*]\s*\*\s*=/) {
            return "a name may have several asterisks or be one (RFC 9110, 5.6.2), which means nothing"
        }
        if field.hasPrefix(" ") { return "no value begins with a blank, which belongs to its line (RFC 9110, 5.5)" }
        if field.contains(#"\\"#) { return "they take an escaped backslash for the escape of what follows" }
        if theirs.failure == "value" {
            return "an extended value that is invalid is ignored, and filename is taken (RFC 8187, 3.2.1)"
        }
        if field.contains(/(?i)\*\s*=\s*"/) {
            return "an extended value in quotation marks is not one (RFC 8187, 3.2)"
        }
        if field.contains(/(?i)\*\s*=\s*[^;]*'[^;']* [^;']*'/) || field.contains(/(?i)\*\s*=\s*[^;']*'[^;']+'/) {
            return "they take other languages than we do, which have no effect"
        }
        return nil
    }

    @Test("The names are those that pyrfc6266 reads, except for documented differences")
    func names() throws {
        let servers = try Servers()
        // The same for each change, so that none is held up by a field that has nothing to do with it.
        let isStress = ProcessInfo.processInfo.environment["LARKSPUR_STRESS"] != nil
        let seed = isStress ? TestSeed.value : 13_513_636_284_593_619_160
        print("The seed of the Content-Disposition fields is \(seed).")
        var generator = Generator(random: SeededGenerator(seed: seed))
        let fields = (0..<3000).map { _ in generator.field() }
        let file = servers.file("dispositions-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try JSONEncoder().encode(fields).write(to: file)

        let parsed: [Parsed] = try PythonScript("parse_disposition", usesPackages: true).run([file.path])

        try #require(parsed.count == fields.count)
        var agreed = 0
        var reasons: [String: Int] = [:]
        for (field, theirs) in zip(fields, parsed) {
            let ours = DispositionField(field)?.fileName
            if ours.map({ Array($0.utf8) }) == theirs.name.map({ Array($0.utf8) }) {
                agreed += ours == nil ? 0 : 1
                continue
            }
            let reason = reason(field, ours: ours, theirs: theirs)
            #expect(reason != nil, "seed \(seed): \(field): \(ours ?? "none") and \(theirs)")
            reasons[reason ?? "", default: 0] += 1
        }
        print("\(agreed) of \(fields.count) fields have the same name; others: \(reasons)")
        // Fields without names would prove nothing.
        #expect(agreed > fields.count / 10)
    }
}
#endif
