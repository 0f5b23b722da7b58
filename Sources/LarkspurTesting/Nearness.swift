/// The similarity of texts. If a request or a route was not found, the error names the most similar one.
enum Nearness {
    /// The number of bytes that are compared. It is limited, because the cost grows with the square of the number.
    private static let mostBytes = 200

    /// Returns the number of bytes to insert, remove or replace so that one text becomes the other (Levenshtein
    /// distance). For long texts, only their beginnings count.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.utf8.prefix(mostBytes))
        let right = Array(right.utf8.prefix(mostBytes))
        var row = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let above = row[column + 1]
                let replaced = diagonal + (byte == right[column] ? 0 : 1)
                row[column + 1] = min(replaced, min(above, row[column]) + 1)
                diagonal = above
            }
        }
        return row[right.count]
    }

    /// Returns the elements with the smallest distances, the nearest first. Elements with equal distances keep their
    /// order.
    static func nearest<Element>(
        _ count: Int,
        of elements: some Sequence<Element>,
        by distance: (Element) -> Int
    ) -> [Element] {
        let ranked = elements.enumerated().map { (distance: distance($0.element), index: $0.offset, $0.element) }
        return ranked.sorted { ($0.distance, $0.index) < ($1.distance, $1.index) }.prefix(count).map { $0.2 }
    }
}
