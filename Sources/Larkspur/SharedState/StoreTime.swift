internal import HTTPSyntax

/// A point in time, by the clocks that the processes of one machine share.
struct StoreTime: Sendable, Equatable {
    /// The name of the present start of the system. Times of ``uptime`` can be compared only if they have the same one.
    /// A container can have another name than the rest of the machine. ``unknownStart`` if the system does not tell it.
    var start: String
    /// The nanoseconds since the start of the system, including those in which it was asleep. No one sets this clock.
    var uptime: Int64
    /// The microseconds since 1970, by the clock that users and servers set.
    var wall: Int64
}

extension StoreTime {
    /// The name of every start if the system does not tell it, as without `/proc`. Times are then not comparable.
    static let unknownStart = "-"

    /// Reads the clocks.
    static func now() -> StoreTime {
        var uptime = timespec()
        #if canImport(Darwin)
        clock_gettime(CLOCK_MONOTONIC_RAW, &uptime)
        #else
        clock_gettime(CLOCK_BOOTTIME, &uptime)
        #endif
        var wall = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        return StoreTime(
            start: systemStart,
            uptime: Int64(uptime.tv_sec) * 1_000_000_000 + Int64(uptime.tv_nsec),
            wall: Int64(wall.tv_sec) * 1_000_000 + Int64(wall.tv_nsec) / 1000
        )
    }

    private static let systemStart: String = {
        #if canImport(Darwin)
        var bytes = [UInt8](repeating: 0, count: 64)
        var count = bytes.count
        guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else { return StoreTime.unknownStart }
        let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        #else
        let text = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
        #endif
        // A word of a record.
        let word = text.utf8.filter { PercentEncoding.isUnreserved($0) }
        return word.isEmpty ? StoreTime.unknownStart : String(decoding: word, as: UTF8.self)
    }()
}

extension Int64 {
    /// The sum, or the nearest number that can be represented.
    func adding(_ other: Int64) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the nearest number that can be represented.
    func subtracting(_ other: Int64) -> Int64 {
        let (difference, isTooLarge) = subtractingReportingOverflow(other)
        return isTooLarge ? (other < 0 ? .max : .min) : difference
    }
}

extension Duration {
    /// The nanoseconds of the duration, at most 100 years, rounded up.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = max(min(self, bounded), .seconds(-3_155_760_000)).components
        let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * 1_000_000_000 + whole + (rest > 0 ? 1 : 0)
    }
}
