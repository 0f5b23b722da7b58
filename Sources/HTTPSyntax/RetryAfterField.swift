package import Foundation

/// The value of a `Retry-After` field (RFC 9110, section 10.2.3).
package enum RetryAfterField {
    /// The longest accepted delay in seconds, about 30 years.
    private static let longest: Int64 = 1_000_000_000

    /// Returns the delay that a field asks for; nil if the field is missing or malformed. A longer delay than about 30
    /// years counts as this time.
    /// - Parameters:
    ///   - text: The value of the field.
    ///   - date: The value of the response's `Date` field. A date is compared with it, because the clocks of the two
    ///     hosts may differ.
    ///   - now: The current date, for a response without a `Date` field.
    package static func delay(_ text: String?, date: String?, now: Date) -> Duration? {
        guard let text = text?.trimmingBlanks, !text.isEmpty else { return nil }
        // A number that does not fit into an Int64 counts as the longest delay.
        if text.utf8.allSatisfy(\.isDigit) { return .seconds(min(Int64(text) ?? .max, longest)) }
        guard let end = HTTPDate.parse(text) else { return nil }
        let seconds = end.timeIntervalSince(date.flatMap(HTTPDate.parse) ?? now)
        // Rounded up, because no request may be sent before the date.
        return .milliseconds(Int64((min(max(seconds, 0), Double(longest)) * 1000).rounded(.up)))
    }
}
