#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The file with the hosts that require https, in the format of `curl --hsts`. Each line has the name of a host and the
/// date of expiration. If subdomains are included, a dot precedes the name.
///
/// ```text
/// .example.com "20271126 05:34:20"
/// ```
enum HSTSFile {
    /// The largest file that is read, in bytes.
    private static let limit = 1 << 24

    /// Reads a file. Lines in another format are skipped. A missing file has no hosts.
    /// - Throws: `POSIXError` if the file cannot be read, is too large, or is not a regular file.
    static func read(_ path: String) throws -> [(name: String, HSTSHosts.Entry)] {
        guard let data = try WholeFile.read(path, limit: limit) else { return [] }
        let text = String(decoding: data, as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).compactMap(parse)
    }

    /// Changes a file that only its owner can read, while no other process changes it. A reader sees either the old or
    /// the new content.
    /// - Parameters:
    ///   - deadline: The time until which it waits for other processes.
    ///   - change: Returns the new entries for those of the file. For a name with several lines, the last line counts.
    /// - Throws: `POSIXError`, with the code `ETIMEDOUT` if other processes have used the lock of the file for too
    ///   long.
    static func update(
        _ file: URL,
        until deadline: ContinuousClock.Instant,
        _ change: ([TextKey: HSTSHosts.Entry]) -> [TextKey: HSTSHosts.Entry]
    ) throws {
        try PrivateFile.update(file, until: deadline) { path in
            let entries = try read(path).map { (TextKey($0.name), $0.1) }
            return content(change(Dictionary(entries) { $1 }))
        }
    }

    /// Returns the content of a file.
    static func content(_ entries: [TextKey: HSTSHosts.Entry]) -> Data {
        let lines = entries.sorted { $0.key.text < $1.key.text }.map { line(for: $0.text, $1) }
        return Data(("# Hosts that require https, in the format of curl --hsts.\n" + lines.joined()).utf8)
    }

    // MARK: Lines

    private static func line(for name: String, _ entry: HSTSHosts.Entry) -> String {
        // The years of the format have four digits.
        let time = entry.expirationDate.timeIntervalSince1970
        var seconds = time_t(time > 0 ? min(time, 253_402_300_799) : 0)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let numbers = [
            (parts.tm_year + 1900, 4), (parts.tm_mon + 1, 2), (parts.tm_mday, 2), (parts.tm_hour, 2), (parts.tm_min, 2),
            (parts.tm_sec, 2),
        ].map { number, digits in
            let text = String(number)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let date = numbers[..<3].joined() + " " + numbers[3...].joined(separator: ":")
        return "\(entry.includesSubdomains ? "." : "")\(name) \"\(date)\"\n"
    }

    /// Parses a line. Returns nil if it has another format, or does not contain a host.
    private static func parse(_ line: Substring) -> (name: String, HSTSHosts.Entry)? {
        let parts = line.parts(separatedBy: " ", maxSplits: 1)
        guard parts.count == 2, !parts[0].begins(with: "#") else { return nil }
        let includesSubdomains = parts[0].begins(with: ".")
        let host = parts[0].utf8.dropFirst(includesSubdomains ? 1 : 0)
        let date = Substring(parts[1].utf8.drop { $0 == .space })
        guard let name = HSTSName.canonical(String(Substring(host))), let (blank, quoted) = date.cut(at: "\""),
            blank.isEmpty, let text = quoted.cut(at: "\"")?.before, let expirationDate = expirationDate(text)
        else { return nil }
        return (name, HSTSHosts.Entry(includesSubdomains: includesSubdomains, expirationDate: expirationDate))
    }

    private static func expirationDate(_ text: Substring) -> Date? {
        // curl writes this word for a time that it cannot represent.
        if text == "unlimited" { return Date(timeIntervalSince1970: 10_000_000_000) }
        let digits = Array(text.utf8)
        guard digits.count == 17, digits[8] == UInt8(ascii: " "), digits[11] == UInt8(ascii: ":"),
            digits[14] == UInt8(ascii: ":")
        else { return nil }
        func number(_ range: Range<Int>) -> Int32? {
            guard digits[range].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return digits[range].reduce(0) { $0 * 10 + Int32($1) - 0x30 }
        }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8), let hour = number(9..<11),
            let minute = number(12..<14), let second = number(15..<17), (1...12).contains(month),
            (1...31).contains(day),
            year >= 1970, hour < 24, minute < 60, second <= 60
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
        return Date(timeIntervalSince1970: TimeInterval(timegm(&parts)))
    }
}
#endif
