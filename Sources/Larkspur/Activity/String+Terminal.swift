extension String {
    /// The text with a question mark in place of each character that a terminal would interpret as a control.
    var printable: String { String(map { $0.isPrintable ? $0 : "?" }) }

    /// The maximum number of terminal columns that the text takes.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Returns the longest prefix that fits into a number of columns.
    func prefix(columns: Int) -> String {
        var left = max(0, columns)
        return String(
            prefix { character in
                left -= character.columns
                return left >= 0
            }
        )
    }
}
