import HTTPSyntax
import Larkspur

/// Tables of text in columns.
enum TableText {
    /// Returns rows with aligned columns: the first to the left, the others to the right.
    static func text(_ rows: [[String]]) -> String {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].columns : 0 }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, text in
                let blanks = String(repeating: " ", count: widths[column] - text.columns)
                return column == 0 ? text + blanks : blanks + text
            }
            return cells.joined(separator: "  ") + "\n"
        }
        .joined()
    }

    /// The number of columns of tables and reports.
    static let width = 100

    /// Returns a line in several lines, if it is longer than a number of columns. A word that is too long is not
    /// divided.
    /// - Parameters:
    ///   - line: The line.
    ///   - indent: The number of blanks before each line but the first.
    ///   - width: The number of columns. Default: 100.
    static func wrapped(_ line: String, indent: Int, width: Int = width) -> String {
        var lines = [""]
        for (position, word) in line.parts(separatedBy: " ", omittingEmptyParts: false).map(String.init).enumerated() {
            let last = lines.count - 1
            let text = position == 0 ? word : lines[last] + " " + word
            if position > 0, text.columns > width, !lines[last].utf8.allSatisfy({ $0 == .space }) {
                lines.append(String(repeating: " ", count: indent) + word)
            } else {
                lines[last] = text
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Returns a text in a number of columns. A longer text ends with an ellipsis.
    static func cut(_ text: String, to columns: Int) -> String {
        text.columns <= columns ? text : text.prefix(columns: columns - 1) + "…"
    }

    /// Returns a duration in milliseconds with one digit after the point.
    static func milliseconds(_ duration: Duration?) -> String {
        guard let duration else { return "-" }
        return (duration / .milliseconds(1)).decimal(digits: 1)
    }

    /// Returns a duration in seconds with three digits after the point.
    static func seconds(_ duration: Duration) -> String { (duration / .seconds(1)).decimal(digits: 3) }
}
