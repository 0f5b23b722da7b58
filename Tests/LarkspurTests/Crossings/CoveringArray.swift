/// Rows of choices, such that each pair of choices on two axes that is possible is in a row. The same ones each time.
///
/// Each row begins with a pair that no row has yet. The other axes get, one after the other, the choice that adds the
/// most new pairs (as in AETG, without its random numbers).
struct CoveringArray {
    /// A choice on an axis, and one on a later axis.
    struct Pair: Hashable, Comparable {
        private let number: Int

        init(_ first: Int, _ a: Int, _ second: Int, _ b: Int) {
            number = first << 48 | a << 32 | second << 16 | b
        }

        static func < (left: Pair, right: Pair) -> Bool { left.number < right.number }

        /// A row with these choices alone.
        func row(of count: Int) -> [Int?] {
            var row = [Int?](repeating: nil, count: count)
            row[number >> 48] = number >> 32 & 0xFFFF
            row[number >> 16 & 0xFFFF] = number & 0xFFFF
            return row
        }
    }

    private(set) var rows: [[Int]] = []
    /// The pairs that no row has, because no row is possible with them.
    private(set) var impossible: Set<Pair> = []

    private let available: [[Int]]
    private let isPossible: ([Int?]) -> Bool
    private var missing: Set<Pair> = []

    /// - Parameters:
    ///   - available: The choices on each axis.
    ///   - isPossible: Whether a row is possible, of which some choices are open.
    init(_ available: [[Int]], isPossible: @escaping ([Int?]) -> Bool) {
        self.available = available
        self.isPossible = isPossible
        for first in available.indices {
            for second in available.indices where second > first {
                for a in available[first] { for b in available[second] { missing.insert(Pair(first, a, second, b)) } }
            }
        }
        // In a fixed order, which a set does not have.
        for pair in missing.sorted() where missing.contains(pair) {
            guard let row = completed(pair.row(of: available.count)) else {
                impossible.insert(pair)
                missing.remove(pair)
                continue
            }
            rows.append(row)
            for pair in Self.pairs(of: row) { missing.remove(pair) }
        }
    }

    /// All pairs of a row.
    static func pairs(of row: [Int]) -> [Pair] {
        row.indices.flatMap { first in
            row.indices.dropFirst(first + 1).map { Pair(first, row[first], $0, row[$0]) }
        }
    }

    /// Fills the axes that are left, and goes back where no choice is possible.
    private func completed(_ row: [Int?]) -> [Int]? {
        guard isPossible(row) else { return nil }
        guard let axis = row.firstIndex(of: nil) else { return row.compactMap(\.self) }
        let gains = available[axis].map { choice in (choice: choice, gain: gain(of: choice, on: axis, in: row)) }
        for next in gains.sorted(by: { ($1.gain, $0.choice) < ($0.gain, $1.choice) }) {
            var row = row
            row[axis] = next.choice
            if let completed = completed(row) { return completed }
        }
        return nil
    }

    private func gain(of choice: Int, on axis: Int, in row: [Int?]) -> Int {
        row.indices.count { other in
            guard let value = row[other] else { return false }
            return missing.contains(other < axis ? Pair(other, value, axis, choice) : Pair(axis, choice, other, value))
        }
    }
}
