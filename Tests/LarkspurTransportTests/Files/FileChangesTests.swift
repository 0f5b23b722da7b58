import Testing

@testable import LarkspurTransport

@Suite("Changes of a file that several processes change") struct FileChangesTests {
    private typealias Changes = FileChanges<String, Int>

    @Test(
        "An entry that this process changed or removed replaces that of the file, and all others stay",
        arguments: [
            // base, own, file, result
            ([:], [:], [:], [:]),
            (["a": 1], ["a": 1], ["a": 1], ["a": 1]),
            // Changes of others.
            (["a": 1], ["a": 1], ["a": 2], ["a": 2]),
            (["a": 1], ["a": 1], [:], [:]),
            ([:], [:], ["a": 1], ["a": 1]),
            // Changes of this process.
            ([:], ["a": 1], [:], ["a": 1]),
            (["a": 1], ["a": 2], ["a": 1], ["a": 2]),
            (["a": 1], [:], ["a": 1], [:]),
            // Of both.
            ([:], ["a": 1], ["b": 2], ["a": 1, "b": 2]),
            (["a": 1], ["a": 2], ["a": 3], ["a": 2]),
            (["a": 1], ["a": 2], [:], ["a": 2]),
            (["a": 1], [:], ["a": 3], [:]),
            (["a": 1, "b": 1], ["a": 1], ["a": 2, "b": 1, "c": 3], ["a": 2, "c": 3]),
        ] as [([String: Int], [String: Int], [String: Int], [String: Int])]
    )
    func rules(_ base: [String: Int], _ own: [String: Int], _ file: [String: Int], _ result: [String: Int]) {
        #expect(Changes(from: base, to: own).applied(to: file) == result)
    }

    @Test("Changes that follow each other are one change, and the removal of all also removes those of others")
    func sequences() {
        var changes = Changes()
        changes.set(1, for: "a")
        var later = Changes()
        later.set(nil, for: "a")
        later.set(2, for: "b")
        changes.append(later)
        #expect(changes.applied(to: ["a": 5, "c": 3]) == ["b": 2, "c": 3])
        #expect(changes.keys.sorted() == ["a", "b"])
        var all = Changes()
        all.removeAll()
        all.set(4, for: "d")
        changes.append(all)
        #expect(changes.applied(to: ["a": 5, "c": 3]) == ["d": 4])
    }

    @Test("If there are far too many changes, those of entries that are gone are forgotten, and most removals")
    func limit() {
        var changes = Changes()
        for number in 0..<20 { changes.set(number < 10 ? number : nil, for: "\(number)") }
        changes.limit(to: 10) { _ in false }
        #expect(changes.keys.count == 20)
        changes.set(1, for: "new")
        changes.limit(to: 10) { ["3", "new"].contains($0) }
        #expect(changes.applied(to: [:]) == ["3": 3, "new": 1] && changes.keys.count == 7)
    }

    @Test("Processes that save one after the other lose no entry")
    func processes() {
        var random = SeededGenerator(1)
        for _ in 0..<200 {
            // Each process has its own keys, so that the result is the sum of all.
            var file: [String: Int] = [:]
            var bases = [[String: Int]](repeating: [:], count: 3)
            var owns = bases
            for _ in 0..<20 {
                let process = Int.random(in: 0..<3, using: &random)
                let key = "\(process)-\(Int.random(in: 0..<3, using: &random))"
                owns[process][key] = Bool.random(using: &random) ? Int.random(in: 0..<9, using: &random) : nil
                guard Bool.random(using: &random) else { continue }
                file = Changes(from: bases[process], to: owns[process]).applied(to: file)
                (bases[process], owns[process]) = (file, file)
            }
            for process in 0..<3 {
                file = Changes(from: bases[process], to: owns[process]).applied(to: file)
                for (key, value) in owns[process] where key.first == "\(process)".first { #expect(file[key] == value) }
            }
        }
    }
}
