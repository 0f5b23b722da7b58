package import Foundation

/// The dates of HTTP. They are read in all forms that cookies have used (RFC 6265, section 5.1.1), only in the forms of
/// HTTP, or only in the form of RFC 3339, which some fields have. They are written in the preferred form, such as `Sun,
/// 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
///
/// The reader is written by hand, because a formatter of Foundation reads one exact form, and dates of cookies have
/// many.
package enum HTTPDate {
    /// Reads a date in any form that cookies have used.
    package static func parse(_ bytes: some Collection<UInt8>) -> Date? {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in bytes.split(whereSeparator: isDelimiter) {
            if time == nil, let read = readTime(token) {
                time = read
            } else if day == nil, let read = number(token, digits: 1...2) {
                day = read
            } else if month == nil, let read = readMonth(token) {
                month = read
            } else if year == nil, let read = number(token, digits: 2...4) {
                year = read
            }
        }
        guard let time, let day, let month, let year else { return nil }
        return date(year: fullYear(year), month: month, day: day, time: time)
    }

    package static func parse(_ text: String) -> Date? { parse(Array(text.utf8)) }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static func readTime(_ token: some Collection<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], digits: 1...2, isWhole: true),
            let minute = number(parts[1], digits: 1...2, isWhole: true), let second = number(parts[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Reads the leading digits. If `isWhole` is true, no other characters may follow them.
    private static func number(
        _ token: some Collection<UInt8>,
        digits: ClosedRange<Int>,
        isWhole: Bool = false
    ) -> Int? {
        let leading = token.prefix(while: \.isDigit)
        guard digits.contains(leading.count), !isWhole || leading.count == token.count else { return nil }
        return leading.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
    }

    private static func readMonth(_ token: some Collection<UInt8>) -> Int? {
        guard token.count >= 3 else { return nil }
        let name = String(decoding: token.prefix(3).map(\.asLowercase), as: UTF8.self)
        return months.firstIndex(of: name).map { $0 + 1 }
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private static func fullYear(_ year: Int) -> Int {
        switch year {
        case 70...99: year + 1900
        case 0...69: year + 2000
        default: year
        }
    }

    private static func date(year: Int, month: Int, day: Int, time: (hour: Int, minute: Int, second: Int)) -> Date? {
        guard year >= 1601, (1...daysInMonth(month, year: year)).contains(day), time.hour < 24, time.minute < 60,
            time.second < 60
        else { return nil }
        let seconds = (time.hour * 60 + time.minute) * 60 + time.second
        return Date(timeIntervalSince1970: Double(daysSince1970(year: year, month: month, day: day) * 86400 + seconds))
    }

    private static func daysInMonth(_ month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the number of days from the epoch to a date. The years of the calculation begin in March, because the
    /// leap day is then the last day of a year.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }

    // MARK: The forms of HTTP

    /// Reads a date in one of the three forms of HTTP (RFC 9110, section 5.6.7); nil for everything else, for example
    /// if the zone is not GMT.
    ///
    /// Case is ignored, as a cache should do (RFC 9111, section 4.2). The day of the week is not checked.
    /// - Parameter now: The current date. It determines the century of a year with two digits.
    package static func parseStrictly(_ text: String, now: Date = Date()) -> Date? {
        let words = text.utf8.map(\.asLowercase).split(separator: .space, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        // Each word must match exactly, so a text with an additional blank or a second date does not match any form.
        let parts: (day: Substring, month: Substring, year: Substring, time: String)
        if words.count == 6, words[5] == "gmt", let name = words[0].cut(before: ","),
            weekdays.contains(where: { $0 == name })
        {
            parts = (words[1][...], words[2][...], words[3][...], words[4])
        } else if words.count == 4, words[3] == "gmt", let name = words[0].cut(before: ","),
            longWeekdays.contains(where: { $0 == name })
        {
            let date = words[1].parts(separatedBy: "-", omittingEmptyParts: false)
            guard date.count == 3, date[2].utf8.count == 2 else { return nil }
            parts = (date[0], date[1], date[2], words[2])
        } else if let name = words.first, weekdays.contains(where: { $0 == name }), words.count == 5 || words.count == 6
        {
            // In the form of asctime, a day of one digit has an additional blank before it.
            guard words.count == 5 || words[2].isEmpty && words[3].utf8.count == 1 else { return nil }
            let day = words.count == 6 ? "0" + words[3] : words[2]
            parts = (day[...], words[1][...], words[words.count - 1][...], words[words.count - 2])
        } else {
            return nil
        }
        guard let day = fixedNumber(parts.day, digits: 2), let month = months.firstIndex(of: String(parts.month)),
            let time = fixedTime(parts.time)
        else { return nil }
        if let year = fixedNumber(parts.year, digits: 4) {
            return date(year: year, month: month + 1, day: day, time: time)
        }
        // A year of two digits is only allowed in the form of RFC 850, which has four words.
        guard words.count == 4, let year = fixedNumber(parts.year, digits: 2) else { return nil }
        let (thisYear, _, _) = civilDate(day: Int((now.timeIntervalSince1970 / 86_400).rounded(.down)))
        let century = thisYear / 100 * 100
        return [century + 100, century, century - 100].lazy
            .compactMap { date(year: $0 + year, month: month + 1, day: day, time: time) }
            .first { $0.timeIntervalSince(now) <= fiftyYears }
    }

    private static let fiftyYears = 50 * 365.2425 * 86_400

    private static func fixedNumber(_ text: Substring, digits: Int) -> Int? {
        text.utf8.count == digits ? number(text.utf8, digits: digits...digits, isWhole: true) : nil
    }

    private static func fixedTime(_ text: String) -> (hour: Int, minute: Int, second: Int)? {
        let parts = text.parts(separatedBy: ":", omittingEmptyParts: false)
        guard parts.count == 3, let hour = fixedNumber(parts[0], digits: 2),
            let minute = fixedNumber(parts[1], digits: 2), let second = fixedNumber(parts[2], digits: 2)
        else { return nil }
        // A leap second counts as the second before it.
        return (hour, minute, second == 60 ? 59 : second)
    }

    // MARK: RFC 3339

    /// Reads a date of RFC 3339, such as `1994-11-06T09:49:37.25+01:00`; nil for everything else. Digits of the
    /// fraction beyond the ninth are ignored.
    package static func parseRFC3339(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10].asLowercase == UInt8(ascii: "t") || bytes[10] == .space,
            let year = number(bytes[0..<4], digits: 4...4, isWhole: true),
            let month = number(bytes[5..<7], digits: 2...2, isWhole: true), (1...12).contains(month),
            let day = number(bytes[8..<10], digits: 2...2, isWhole: true),
            let time = fixedTime(String(decoding: bytes[11..<19], as: UTF8.self)),
            let date = date(year: year, month: month, day: day, time: time)
        else { return nil }
        var rest = bytes[19...]
        var fraction = 0.0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix(while: \.isDigit)
            guard !digits.isEmpty else { return nil }
            rest = rest[digits.endIndex...]
            for digit in digits.prefix(9).reversed() { fraction = (fraction + Double(digit &- 0x30)) / 10 }
        }
        guard let offset = zoneOffset(rest) else { return nil }
        return date.addingTimeInterval(fraction - Double(offset))
    }

    /// Returns the seconds of a time zone such as `Z` or `-05:30`; nil if it is malformed.
    private static func zoneOffset(_ zone: ArraySlice<UInt8>) -> Int? {
        if zone.count == 1, zone.first?.asLowercase == UInt8(ascii: "z") { return 0 }
        guard zone.count == 6, let sign = zone.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            zone.dropFirst(3).first == UInt8(ascii: ":"),
            let hour = number(zone.dropFirst().prefix(2), digits: 2...2, isWhole: true), hour < 24,
            let minute = number(zone.suffix(2), digits: 2...2, isWhole: true), minute < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -60 : 60) * (hour * 60 + minute)
    }

    // MARK: Writing

    package static func string(from date: Date) -> String {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let day = Int((Double(seconds) / 86_400).rounded(.down))
        let time = seconds - day * 86_400
        let (year, month, dayOfMonth) = civilDate(day: day)
        let weekday = ((day + 4) % 7 + 7) % 7
        let clock = [time / 3_600, time / 60 % 60, time % 60].map(twoDigits).joined(separator: ":")
        return
            "\(weekdays[weekday].capitalized), \(twoDigits(dayOfMonth)) \(months[month - 1].capitalized) \(year) \(clock) GMT"
    }

    /// Returns the date that is the given number of days after the epoch. As in the calculation above, years begin in
    /// March.
    private static func civilDate(day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    private static let weekdays: [Substring] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    private static let longWeekdays: [Substring] = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]
}

extension String {
    /// The text without the character `end` at its end; nil if the text ends with another character.
    fileprivate func cut(before end: Unicode.Scalar) -> Substring? {
        utf8.last == UInt8(ascii: end) ? Substring(utf8.dropLast()) : nil
    }
}
