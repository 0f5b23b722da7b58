/// A number of bytes as text.
package enum ByteCount {
    /// Returns a number of bytes in decimal units, as in "12.3 MB".
    package static func text(_ bytes: Int64) -> String {
        let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
        guard bytes >= 1000 else { return "\(max(0, bytes)) B" }
        var tenths = bytes / 100
        var unit = 0
        // A number that would be rounded to 1000 is shown as 1 of the next unit.
        while tenths >= 10_000, unit < units.count - 1 {
            tenths /= 1000
            unit += 1
        }
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
