/// A histogram of durations. The error of its percentiles is at most about 3 %.
///
/// The histogram has 32 buckets for each power of two from a microsecond to about 12 days. So its size does not depend
/// on the number of durations.
public struct LatencyHistogram: Sendable, Hashable {
    private static let bitsOfBucket = 5
    private static let bucketsOfPower = 1 << bitsOfBucket
    private static let powers = 36

    private var buckets: [UInt64] = []
    /// The number of durations.
    public private(set) var count = 0
    /// The sum of all durations.
    public private(set) var sum: Duration = .zero
    /// The shortest duration; nil if there are no durations.
    public private(set) var minimum: Duration?
    /// The longest duration; nil if the histogram is empty.
    public private(set) var maximum: Duration?

    /// Creates a histogram without durations.
    public init() {}

    /// The mean duration; nil if there are no durations.
    public var mean: Duration? { count == 0 ? nil : sum / count }

    /// Adds a duration. A negative duration counts as zero.
    public mutating func add(_ duration: Duration) {
        let duration = max(duration, .zero)
        // Allocated with the first duration, so that an empty histogram takes no memory.
        if buckets.isEmpty { buckets = Array(repeating: 0, count: Self.powers * Self.bucketsOfPower) }
        buckets[Self.index(of: duration)] += 1
        count += 1
        sum += duration
        minimum = min(minimum ?? duration, duration)
        maximum = max(maximum ?? duration, duration)
    }

    /// Adds the durations of another histogram.
    public mutating func add(_ other: LatencyHistogram) {
        guard other.count > 0 else { return }
        if buckets.isEmpty { buckets = Array(repeating: 0, count: Self.powers * Self.bucketsOfPower) }
        for (index, number) in other.buckets.enumerated() { buckets[index] += number }
        count += other.count
        sum += other.sum
        minimum = [minimum, other.minimum].compactMap(\.self).min()
        maximum = [maximum, other.maximum].compactMap(\.self).max()
    }

    /// Returns the duration that a fraction of all durations do not exceed; nil if the histogram is empty.
    /// - Parameter part: The fraction, from 0 to 1: 0.99 for the 99th percentile.
    public func percentile(_ part: Double) -> Duration? {
        guard let minimum, let maximum else { return nil }
        // NaN counts as 0, because its conversion to an integer would terminate the process.
        let part = part > 0 ? min(part, 1) : 0
        let rank = max(1, UInt64((Double(count) * part).rounded(.up)))
        var seen: UInt64 = 0
        for (index, number) in buckets.enumerated() {
            seen += number
            // A bucket may extend beyond the durations that were added.
            if seen >= rank { return min(max(Self.upperBound(of: index), minimum), maximum) }
        }
        return maximum
    }

    /// Returns the index of a duration's bucket. The highest bit of its microseconds gives the power of two, and the
    /// next five bits give the bucket within the power.
    private static func index(of duration: Duration) -> Int {
        let microseconds = microseconds(of: duration)
        guard microseconds >= bucketsOfPower else { return Int(microseconds) }
        let power = UInt64.bitWidth - 1 - microseconds.leadingZeroBitCount - bitsOfBucket
        let place = Int(microseconds >> UInt64(power)) - bucketsOfPower
        return min((power + 1) * bucketsOfPower + place, powers * bucketsOfPower - 1)
    }

    /// Returns the longest duration of a bucket.
    private static func upperBound(of index: Int) -> Duration {
        guard index >= bucketsOfPower else { return .microseconds(index) }
        let power = index / bucketsOfPower - 1
        let place = index % bucketsOfPower + bucketsOfPower
        return .microseconds(((place + 1) << power) - 1)
    }

    private static func microseconds(of duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        let whole = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000)
        let sum = whole.partialValue.addingReportingOverflow(UInt64(clamping: attoseconds / 1_000_000_000_000))
        return whole.overflow || sum.overflow ? .max : sum.partialValue
    }
}

extension LatencyHistogram: CustomStringConvertible {
    /// The number of durations, their mean, the usual percentiles and the maximum.
    public var description: String {
        guard let mean, let maximum else { return "none" }
        let percentiles = [0.5, 0.9, 0.99].map { part in
            "p\(Int(part * 100)) \(percentile(part)?.brief ?? "")"
        }
        return "\(count) calls, mean \(mean.brief), \(percentiles.joined(separator: ", ")), maximum \(maximum.brief)"
    }
}

extension Duration {
    /// The duration with three digits and a unit, as in "45.2 ms".
    var brief: String {
        let seconds = timeInterval
        let (value, unit) =
            seconds < 0.001 ? (seconds * 1_000_000, "µs") : seconds < 1 ? (seconds * 1000, "ms") : (seconds, "s")
        let digits = value < 10 ? 2 : value < 100 ? 1 : 0
        return value.decimal(digits: digits) + " " + unit
    }
}
