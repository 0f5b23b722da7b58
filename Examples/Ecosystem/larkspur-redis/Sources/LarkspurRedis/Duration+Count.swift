extension Duration {
    /// The number of units in the duration, at most 2^60 (36 years of nanoseconds) and at least 0. Lua's numbers are
    /// exact up to 2^53.
    /// - Parameters:
    ///   - unit: A part of a second, at least a nanosecond.
    ///   - rule: The rounding: `.up` or `.down`.
    func count(of unit: Duration, _ rule: FloatingPointRoundingRule) -> Int64 {
        let all = Self.whole(self)
        let one = Self.whole(unit)
        let count = rule == .up ? (all + one - 1) / one : all / one
        return Int64(min(max(count, 0), 1 << 60))
    }

    /// The number of nanoseconds of as many intervals as the duration has, if each interval is rounded up to
    /// nanoseconds. So a bucket has as many tokens as before.
    func nanoseconds(forRounded interval: Duration) -> Int64 {
        let nanosecond: Int128 = 1_000_000_000
        let exact = max(Self.whole(interval), 1)
        let added = (exact + nanosecond - 1) / nanosecond * nanosecond - exact
        let all = min(max(Self.whole(self), 0), nanosecond << 60)
        let intervals = (all + exact - 1) / exact
        return Int64(min((all + intervals * added + nanosecond - 1) / nanosecond, 1 << 60))
    }

    /// The duration in attoseconds.
    private static func whole(_ duration: Duration) -> Int128 {
        Int128(duration.components.seconds) * 1_000_000_000_000_000_000 + Int128(duration.components.attoseconds)
    }
}
