/// Tables of text in columns.
enum TableText {
    /// Returns rows with aligned columns: the first to the left, the others to the right.
    static func text(_ rows: [[String]]) -> String {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, text in
                let blanks = String(repeating: " ", count: widths[column] - text.count)
                return column == 0 ? text + blanks : blanks + text
            }
            return cells.joined(separator: "  ") + "\n"
        }
        .joined()
    }

    /// Returns a duration in milliseconds with one digit after the point.
    static func milliseconds(_ duration: Duration?) -> String {
        guard let duration else { return "-" }
        return decimal(duration / .milliseconds(1), digits: 1)
    }

    /// Returns a duration in seconds with three digits after the point.
    static func seconds(_ duration: Duration) -> String { decimal(duration / .seconds(1), digits: 3) }

    /// Returns a number with a fixed number of digits after the point.
    static func decimal(_ number: Double, digits: Int) -> String {
        guard number.isFinite, abs(number) < 1e12 else { return "-" }
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((abs(number) * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        let sign = number < 0 && scaled > 0 ? "-" : ""
        let zeros = String(repeating: "0", count: max(0, digits - fraction.count))
        return sign + "\(scaled / scale)" + (digits > 0 ? "." + zeros + fraction : "")
    }
}
