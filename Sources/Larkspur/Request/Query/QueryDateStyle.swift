extension QueryEncoder {
    /// The style in which dates are written.
    public enum DateStyle: Sendable {
        /// In UTC to the second: `2001-01-01T00:00:00Z` (RFC 3339). A year outside 0–9999 is an error.
        case iso8601
        /// Seconds since 1970, with decimals only where they are needed.
        case secondsSince1970
        /// Milliseconds since 1970, with decimals only where they are needed.
        case millisecondsSince1970
        /// The text that a date formatter produces.
        case formatted(DateFormatter)
        /// The text that a closure returns. An error that it throws becomes the `underlyingError` of a
        /// ``LarkspurError``, or is reported unchanged if it is a ``LarkspurError``.
        case custom(@Sendable (Date) throws -> String)

        private static let representableSeconds = -62_167_219_200.0..<253_402_300_800.0

        func text(of date: Date, at path: [any CodingKey]) throws(LarkspurError) -> String {
            let seconds = date.timeIntervalSince1970
            guard seconds.isFinite else { throw ParameterPath.error("its date is not finite.", at: path) }
            switch self {
            case .iso8601:
                guard Self.representableSeconds.contains(seconds) else {
                    throw ParameterPath.error("ISO 8601 has no form for its date's year.", at: path)
                }
                return date.formatted(.iso8601)
            case .secondsSince1970:
                return Self.number(seconds)
            case .millisecondsSince1970:
                return Self.number(seconds * 1000)
            case .formatted(let formatter):
                return formatter.string(from: date)
            case .custom(let text):
                do { return try text(date) } catch { throw ParameterPath.error(wrapping: error, at: path) }
            }
        }

        private static func number(_ value: Double) -> String {
            Int64(exactly: value).map(String.init) ?? value.description
        }
    }
}
