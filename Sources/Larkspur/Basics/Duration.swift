internal import HTTPSyntax

extension Duration {
    /// The duration with three digits and a unit, as in "45.2 ms".
    var brief: String {
        let seconds = timeInterval
        let (value, unit) =
            seconds < 0.001 ? (seconds * 1_000_000, "µs") : seconds < 1 ? (seconds * 1000, "ms") : (seconds, "s")
        let digits = value < 10 ? 2 : value < 100 ? 1 : 0
        return value.decimal(digits: digits) + " " + unit
    }

    /// The duration, but at most 100 years. Clocks cannot add much longer durations to the current time.
    var bounded: Duration { min(self, .seconds(3_155_760_000)) }

    /// The duration in seconds with its unit, for messages: `90 s`, `0.5 s`.
    var inSeconds: String { components.attoseconds == 0 ? "\(components.seconds) s" : "\(timeInterval) s" }
}
