import Foundation
import Testing

/// The pages of `Docs/`, those beside the tests, `README.md`, and the first pages of the products' catalogues, as the
/// tests read them.
enum Documentation {
    struct Page: Sendable, CustomTestStringConvertible {
        /// The name of the file; for a page beside the tests its path, such as `Tests/Conformance.md`.
        let name: String
        let text: String

        var testDescription: String { name }
        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

        /// What stands between the fences of the page, with the words behind the opening ones.
        var blocks: [(info: String, lines: [String])] {
            var blocks: [(info: String, lines: [String])] = []
            var isInside = false
            for line in lines {
                if line.hasPrefix("```") {
                    if !isInside { blocks.append((String(line.dropFirst(3)), [])) }
                    isInside.toggle()
                } else if isInside {
                    blocks[blocks.count - 1].lines.append(String(line))
                }
            }
            return blocks
        }

        /// The items of the lists below a heading, up to the next one, without their dashes.
        func items(below heading: String) -> [String] {
            lines.drop { $0 != heading }.dropFirst().prefix { !$0.hasPrefix("#") }
                .filter { $0.hasPrefix("- ") }.map { String($0.dropFirst(2)) }
        }

        /// The cells of the tables' rows, without the heads; below a heading, up to the next one.
        func rows(below heading: String? = nil) -> [[String]] {
            var isBelow = heading == nil
            var rows: [[String]] = []
            for line in lines {
                if let heading, line.drop(while: { $0 == "#" }).hasPrefix(" "), line.hasPrefix("#") {
                    isBelow = line == heading || line.hasPrefix(heading + " ")
                }
                guard isBelow, line.hasPrefix("|") else { continue }
                if line.hasPrefix("| ---") {
                    rows.removeLast()
                } else {
                    rows.append(
                        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                            .map { $0.trimmingCharacters(in: .whitespaces) }
                    )
                }
            }
            return rows
        }
    }

    /// A chunk of a source file that is a sample.
    struct Sample: Sendable {
        let name: String
        let file: String
        let lines: [String]
    }

    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let pages: [Page] = {
        let folder = root.appending(path: "Docs")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let files = names.filter { $0.hasSuffix(".md") }.sorted().map { folder.appending(path: $0) }
        let sources = root.appending(path: "Sources")
        let products = (try? FileManager.default.contentsOfDirectory(atPath: sources.path)) ?? []
        let catalogues = products.sorted().map { sources.appending(path: "\($0)/\($0).docc/\($0).md") }
        let pages = (files + [root.appending(path: "README.md")] + catalogues).compactMap { file in
            (try? String(contentsOf: file, encoding: .utf8)).map { Page(name: file.lastPathComponent, text: $0) }
        }
        return pages
            + contents(below: "Tests", suffix: ".md").map { Page(name: "Tests/\($0.path)", text: $0.text) }
    }()

    /// The pages' samples, from the files `Samples….swift` of all tests; those that do without Larkspur are in
    /// `Tests/LarkspurTransportTests/Docs`.
    static let samples: [Sample] = sources(below: "Tests")
        .filter { $0.name.hasPrefix("Samples") }
        .flatMap { samples(in: $0.text, of: $0.name) }

    static func page(_ name: String) -> Page? { pages.first { $0.name == name } }

    /// The Swift files below a folder of the package.
    static func sources(below folder: String) -> [(name: String, text: String)] {
        contents(below: folder, suffix: ".swift").map { (String($0.path.split(separator: "/").last ?? ""), $0.text) }
    }

    /// The files below a folder of the package whose names end in a suffix, with their paths below the folder.
    private static func contents(below folder: String, suffix: String) -> [(path: String, text: String)] {
        let folder = root.appending(path: folder)
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        // What a package below it has fetched is none of ours.
        return paths.filter { $0.hasSuffix(suffix) && !$0.contains(".build/") }.sorted().compactMap { path in
            (try? String(contentsOf: folder.appending(path: path), encoding: .utf8)).map { (path, $0) }
        }
    }

    /// What stands between `// sample: name` and `// end`, with the imports of the file in front.
    static func samples(in text: String, of file: String) -> [Sample] {
        let imports = normalized(text.split(separator: "\n").filter { $0.hasPrefix("import ") }.map(String.init))
        var samples: [Sample] = []
        var current: (name: String, lines: [String])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed.hasPrefix("// sample: ") {
                current = (String(trimmed.dropFirst(11)), [])
            } else if trimmed == "// end", let (name, lines) = current {
                samples.append(Sample(name: name, file: file, lines: imports + normalized(lines)))
                current = nil
            } else {
                current?.lines.append(String(line))
            }
        }
        return samples
    }

    /// Lines without indentation, and without those that are blank.
    static func normalized(_ lines: [String]) -> [String] {
        lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// The sample that a block of a page shows: the same lines, but for imports that the page leaves out.
    static func sample(for block: [String], among samples: [Sample] = samples) -> Sample? {
        let block = normalized(block)
        let (imports, code) = (block.filter(isImport), block.filter { !isImport($0) })
        return samples.first { sample in
            sample.lines.filter { !isImport($0) } == code && imports.allSatisfy(sample.lines.contains)
        }
    }

    private static func isImport(_ line: String) -> Bool { line.hasPrefix("import ") }
}
