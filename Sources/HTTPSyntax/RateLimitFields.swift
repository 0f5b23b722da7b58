package import Foundation

/// A limit of requests that a response announces.
package struct AnnouncedRateLimit: Equatable, Sendable {
    /// The name of the policy; empty if the server does not name it.
    package var name = ""
    /// The server's key for the part of its quota from which the request has taken.
    package var partitionKey: Data?
    /// The number of requests that the server allows in a window; nil if it is unknown.
    package var quota: Int?
    /// The length of the window; nil if it is unknown.
    package var window: Duration?
    /// The number of requests that the server still allows until the reset.
    package var remaining: Int
    /// The time from the response until the server allows more requests.
    package var reset: Duration

    package init(
        name: String = "",
        partitionKey: Data? = nil,
        quota: Int? = nil,
        window: Duration? = nil,
        remaining: Int,
        reset: Duration
    ) {
        self.name = name
        self.partitionKey = partitionKey
        self.quota = quota
        self.window = window
        self.remaining = remaining
        self.reset = reset
    }
}

/// The fields with which servers announce limits of requests:
///
/// - `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-11
/// - `RateLimit` and `RateLimit-Policy` of version 07 of this draft
/// - `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` of earlier versions, as GitLab sends them
/// - the same three fields with the prefix `X-RateLimit-` or `X-Rate-Limit-`, as GitHub and Discord send them
///
/// The first of these forms that announces a limit counts. A limit with an impossible value is ignored, and so is a
/// limit without a time of its reset, because there is no time until which a client could wait.
package enum RateLimitFields {
    /// The name of the limit that a `Retry-After` field sets.
    package static let retryAfterName = "Retry-After"
    /// The most requests that a server may announce.
    private static let highestCount = 1_000_000_000
    /// The longest time until a reset, in seconds: 31 days.
    private static let longest = 31 * 86_400.0

    /// Returns the limits that a response announces.
    /// - Parameters:
    ///   - status: The status code. With 429 or 503, a `Retry-After` field sets a limit too.
    ///   - now: The current date, for a response without a `Date` field.
    ///   - field: A closure that returns the value of a field, or the values of several fields joined by commas.
    package static func limits(
        status: Int?,
        now: Date,
        field: (String) -> String?
    ) -> [AnnouncedRateLimit] {
        // The limits in a stored response are out of date (section 5 of the draft).
        if let age = field("Age"), let seconds = decimal(age), seconds > 0 { return [] }
        let date = field("Date")
        var limits = structured(field)
        let serverDate = date.flatMap(HTTPDate.parse) ?? now
        for prefix in ["RateLimit-", "X-RateLimit-", "X-Rate-Limit-"] where limits.isEmpty {
            if let limit = separate(prefix, serverDate, field) { limits = [limit] }
        }
        guard status == 429 || status == 503,
            let delay = RetryAfterField.delay(field("Retry-After"), date: date, now: now),
            delay.timeInterval <= longest
        else { return limits }
        // `Retry-After` takes precedence over the time of a reset (section 5 of the draft).
        for index in limits.indices where limits[index].remaining == 0 { limits[index].reset = delay }
        if !limits.contains(where: { $0.remaining == 0 }) {
            limits.append(AnnouncedRateLimit(name: retryAfterName, remaining: 0, reset: delay))
        }
        return limits
    }

    // MARK: RateLimit

    /// Reads the fields `RateLimit` and `RateLimit-Policy` in the form of version 11 or 07 of the draft.
    private static func structured(_ field: (String) -> String?) -> [AnnouncedRateLimit] {
        guard let text = field("RateLimit") else { return [] }
        let policies = field("RateLimit-Policy").flatMap(StructuredField.list)?.compactMap(\.item) ?? []
        if let items = StructuredField.list(text) {
            return items.compactMap { $0.item.flatMap { limit($0, policies) } }
        }
        guard let members = StructuredField.dictionary(text), let remaining = count(members["remaining"]?.item?.value),
            let reset = seconds(members["reset"]?.item?.value)
        else { return [] }
        var quota: Int?
        if let limit = members["limit"] {
            quota = count(limit.item?.value)
            if quota == nil { return [] }
        }
        // The policies of this version are items such as `100;w=60`.
        let policy = policies.first { quota != nil && count($0.value) == quota }
        let window = seconds(policy?.parameters["w"])
        return [AnnouncedRateLimit(quota: quota, window: window, remaining: remaining, reset: reset)]
    }

    /// Reads an item of `RateLimit` in the form of version 11.
    private static func limit(
        _ item: StructuredField.Item,
        _ policies: [StructuredField.Item]
    ) -> AnnouncedRateLimit? {
        guard case .string(let name) = item.value, isShort(name), let remaining = count(item.parameters["r"]),
            let key = partitionKey(item)
        else { return nil }
        let policy = policies.first { policy in
            guard policy.value == item.value, let other = partitionKey(policy) else { return false }
            return key == nil || other == nil || key == other
        }
        // A limit of bytes or of concurrent requests is not a limit of requests.
        if let unit = policy?.parameters["qu"], unit != .string("requests"), unit != .string("request") { return nil }
        let window = seconds(policy?.parameters["w"])
        let time = item.parameters["t"]
        guard let reset = time == nil ? window : seconds(time) else { return nil }
        return AnnouncedRateLimit(
            name: name,
            partitionKey: key,
            quota: count(policy?.parameters["q"]),
            window: window,
            remaining: remaining,
            reset: reset
        )
    }

    /// Returns the partition key of an item, which is nil if the item has none; nil if the key is malformed.
    private static func partitionKey(_ item: StructuredField.Item) -> Data?? {
        switch item.parameters["pk"] {
        case nil: .some(nil)
        case .bytes(let key) where key.count <= 1024: key
        default: nil
        }
    }

    private static func count(_ value: StructuredField.BareItem?) -> Int? {
        guard case .integer(let number) = value, (0...Int64(highestCount)).contains(number) else { return nil }
        return Int(number)
    }

    private static func seconds(_ value: StructuredField.BareItem?) -> Duration? {
        guard case .integer(let number) = value, (0...Int64(longest)).contains(number) else { return nil }
        return .seconds(number)
    }

    // MARK: Separate fields

    /// Reads the fields whose names begin with a prefix.
    private static func separate(
        _ prefix: String,
        _ serverDate: Date,
        _ field: (String) -> String?
    ) -> AnnouncedRateLimit? {
        guard let remaining = field(prefix + "Remaining").flatMap(count) else { return nil }
        var quota: Int?
        if let text = field(prefix + "Limit") {
            // In earlier versions of the draft, the policies follow: `100, 100;w=60`.
            quota = count(String(text.before(",").before(";")))
            if quota == nil { return nil }
        }
        // A delay does not depend on clocks. The date is a field of GitLab.
        let times = ["Reset-After", "Reset", "ResetTime"].compactMap { field(prefix + $0) }
        guard let reset = times.first.flatMap({ Self.reset($0, serverDate) }) else { return nil }
        // The names of policies at GitLab, Discord and GitHub.
        let names = ["Name", "Bucket", "Resource"].compactMap { field(prefix + $0)?.trimmingBlanks }
        return AnnouncedRateLimit(
            name: names.first(where: isShort) ?? "",
            quota: quota,
            remaining: remaining,
            reset: reset
        )
    }

    /// Reads the time of a reset: seconds from now, seconds or milliseconds since the epoch, a date of HTTP, or a date
    /// of RFC 3339. The size of a number shows its meaning.
    private static func reset(_ text: String, _ serverDate: Date) -> Duration? {
        let text = text.trimmingBlanks
        let seconds: Double
        if let number = decimal(text) {
            switch number {
            case 0...longest: seconds = number
            case 1e9..<1e11: seconds = number - serverDate.timeIntervalSince1970
            case 1e12..<1e14: seconds = number / 1000 - serverDate.timeIntervalSince1970
            default: return nil
            }
        } else if let date = HTTPDate.parseStrictly(text) ?? HTTPDate.parseRFC3339(text) {
            seconds = date.timeIntervalSince(serverDate)
        } else {
            return nil
        }
        guard (-longest...longest).contains(seconds) else { return nil }
        // Rounded up, because no request may be sent before the reset.
        return .milliseconds(Int64((max(seconds, 0) * 1000).rounded(.up)))
    }

    /// Reads a number of requests. Some servers send it with a fraction, as in `598.0`.
    private static func count(_ text: String) -> Int? {
        guard let number = decimal(text), number <= Double(highestCount) else { return nil }
        return Int(number)
    }

    /// Reads a number of digits with or without a fraction; nil for everything else, such as `-1` or `1e3`.
    private static func decimal(_ text: String) -> Double? {
        let text = text.trimmingBlanks
        let parts = text.parts(separatedBy: ".", omittingEmptyParts: false)
        guard text.utf8.count <= 24, parts.count <= 2,
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) })
        else { return nil }
        return Double(text)
    }

    /// Whether a name is short enough to be stored.
    private static func isShort(_ name: String) -> Bool { name.utf8.count <= 200 }
}
