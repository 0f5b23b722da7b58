extension String {
    /// The text with a question mark for each character that a terminal would obey and not show.
    var printable: String { String(map { $0.isPrintable ? $0 : "?" }) }

    /// How many columns of a terminal it takes at most.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// As many of its first characters as fit into so many columns.
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
