internal import HTTPSyntax

/// The content of a file of a ``FolderStore``: one line of words, and the data of a value.
///
/// ```text
/// larkspur-store-1 <checksum> value <start> <time> <wall> <end> <version> <length>
/// larkspur-store-1 <checksum> bucket <start> <time> <wall> <end> <full>
/// larkspur-store-1 <checksum> lease <start> <time> <wall> <end> <number>
/// larkspur-store-1 <checksum> folder <start> <time> <wall> <number>
/// ```
///
/// The checksum finds files that are incomplete after a loss of power, or were changed by other programs. It does not
/// protect against users who can write the folder. `start`, `time` and `wall` are those of ``StoreTime`` when the
/// record was written. The file does not have the key, which is in its name as a hash.
///
/// All times of a record are by the clock of its start. A process with another start converts them by the wall clock.
/// The system was started again then, or the processes of one system see different names of its start, as in
/// containers.
struct StoreRecord: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        case value(data: Data, version: String, end: Int64?)
        /// - Parameters:
        ///   - full: The time at which the bucket is full.
        ///   - end: The time from which the bucket is as good as a new one.
        case bucket(full: Int64, end: Int64)
        case lease(number: UInt64, end: Int64)
        /// The state of the folder: its last fencing number. The time is that of the last clean-up.
        case folder(number: UInt64)
    }

    /// The name of the system's start in which the record was written.
    var start: String
    /// The time at which the record was written.
    var time: Int64
    /// The time at which the record was written, by the wall clock.
    var wall: Int64
    var content: Content

    /// The largest length of a line, which has the names of at most one start and one version.
    static let longestLine = 512
    private static let magic = "larkspur-store-1"

    init(_ content: Content, at now: StoreTime) {
        (start, time, wall) = (now.start, now.uptime, now.wall)
        self.content = content
    }

    /// Whether the times of the record can be compared with the present time. A record from the future is one of
    /// another start of the system, or of a machine with other clocks. So no time of a record is further in the future
    /// than the duration with which it was written. Without their names, two starts cannot be told apart.
    private func isComparable(at now: StoreTime) -> Bool {
        start == now.start && start != StoreTime.unknownStart && time <= now.uptime
    }

    /// The nanoseconds since the record was written, by the wall clock; less than zero if it was set back since then.
    private func wallAge(at now: StoreTime) -> Int64 {
        let difference = now.wall.subtracting(wall)
        let (product, isTooLarge) = difference.multipliedReportingOverflow(by: 1000)
        return isTooLarge ? (difference < 0 ? -.max : .max) : product
    }

    /// The nanoseconds since the record was written.
    ///
    /// If the wall clock was set back, a record that is converted by it also counts as old. Otherwise, a lease would
    /// stay until the clock has caught up, as after a start without the right time.
    func age(at now: StoreTime) -> Int64 {
        isComparable(at: now) ? now.uptime.subtracting(time) : abs(wallAge(at: now))
    }

    /// Returns a time of the record, by the clock of the present start.
    func present(_ time: Int64, at now: StoreTime) -> Int64 {
        isComparable(at: now) ? time : now.uptime.adding(time.subtracting(self.time)).subtracting(age(at: now))
    }

    /// Whether nothing is lost if the file is removed.
    func hasEnded(at now: StoreTime) -> Bool {
        switch content {
        case .value(_, _, let end):
            guard let end else { return false }
            // If the wall clock was set back, it is better to keep a value than to lose it.
            return isComparable(at: now) ? end <= now.uptime : end.subtracting(time) <= wallAge(at: now)
        case .bucket(_, let end), .lease(_, let end): return present(end, at: now) <= now.uptime
        case .folder: return false
        }
    }

    // MARK: The format

    /// The content of the file.
    var encoded: Data {
        let times = "\(start) \(time) \(wall)"
        let line: String
        var data = Data()
        switch content {
        case .value(let content, let version, let end):
            line = "value \(times) \(end.map { "\($0)" } ?? "-") \(version) \(content.count)\n"
            data = content
        case .bucket(let full, let end): line = "bucket \(times) \(end) \(full)\n"
        case .lease(let number, let end): line = "lease \(times) \(end) \(number)\n"
        case .folder(let number): line = "folder \(times) \(number)\n"
        }
        return Self.withChecksum(Data(line.utf8) + data)
    }

    /// Returns a file with the words and the data that follow the checksum.
    static func withChecksum(_ rest: Data) -> Data { Data("\(magic) \(checksum(rest)) ".utf8) + rest }

    /// Decodes a file. Returns nil if it is incomplete, damaged, or has another format.
    init?(_ file: Data) { self.init(file, isWhole: true) }

    /// Decodes the line of a file, without the data of a value and without the checksum, which includes the data.
    /// - Parameter start: The first bytes of the file, at least ``longestLine`` or all.
    init?(start: Data) { self.init(start, isWhole: false) }

    private init?(_ file: Data, isWhole: Bool) {
        guard let newline = file.prefix(Self.longestLine).firstIndex(of: .lineFeed) else { return nil }
        let prefix = Array("\(Self.magic) ".utf8)
        let sum = file.dropFirst(prefix.count).prefix(Self.checksumLength)
        let rest = file.dropFirst(prefix.count + Self.checksumLength + 1)
        guard file.starts(with: prefix), rest.startIndex <= newline,
            file[rest.startIndex - 1] == .space, !isWhole || sum.elementsEqual(Self.checksum(rest).utf8),
            file[rest.startIndex..<newline].allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        let line = String(decoding: file[rest.startIndex..<newline], as: UTF8.self)
        var words = line.parts(separatedBy: " ").map(String.init)[...]
        let data = isWhole ? Data(file[(newline + 1)...]) : nil
        guard let kind = words.popFirst(), let start = words.popFirst(),
            let time = words.popFirst().flatMap(Int64.init),
            let wall = words.popFirst().flatMap(Int64.init)
        else { return nil }
        // The name of a start is the system's boot identifier, a UUID.
        guard start.utf8.count <= 64, let content = Content(kind, Array(words), data) else { return nil }
        (self.start, self.time, self.wall, self.content) = (start, time, wall, content)
    }

    private static let checksumLength = 16

    /// FNV-1a of the bytes.
    private static func checksum(_ bytes: Data) -> String {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        bytes.withUnsafeBytes { for byte in $0 { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 } }
        return withUnsafeBytes(of: sum.bigEndian) { $0.hexadecimal }
    }
}

extension StoreRecord.Content {
    /// - Parameters:
    ///   - words: The words after the times.
    ///   - data: The bytes after the line; nil if they are not known.
    fileprivate init?(_ kind: String, _ words: [String], _ data: Data?) {
        switch (kind, words.count) {
        case ("value", 3):
            guard let end = Self.time(words[0]), words[1].utf8.count <= 64,
                data.map({ words[2] == "\($0.count)" }) ?? true
            else { return nil }
            self = .value(data: data ?? Data(), version: words[1], end: end)
        case ("bucket", 2):
            guard data?.isEmpty ?? true, let end = Int64(words[0]), let full = Int64(words[1]) else { return nil }
            self = .bucket(full: full, end: end)
        case ("lease", 2):
            guard data?.isEmpty ?? true, let end = Int64(words[0]), let number = UInt64(words[1]) else { return nil }
            self = .lease(number: number, end: end)
        case ("folder", 1):
            guard data?.isEmpty ?? true, let number = UInt64(words[0]) else { return nil }
            self = .folder(number: number)
        default: return nil
        }
    }

    /// Returns nil if the word is no time, and a nil time for a dash.
    private static func time(_ word: String) -> Int64?? { word == "-" ? .some(nil) : Int64(word).map { .some($0) } }
}

/// The decision of one step of a bucket, by the formula of ``SharedBucket``.
struct StoreBucketStep: Sendable, Equatable {
    /// The time until the token may be used, in nanoseconds.
    let delay: Int64
    /// The new time at which the bucket is full; nil if no token was taken.
    let full: Int64?

    /// - Parameters:
    ///   - full: The time at which the bucket is full; nil for a bucket that is full.
    ///   - limit: The longest delay that the caller accepts.
    init(_ bucket: SharedBucket, full: Int64?, now: Int64, within limit: Duration) {
        let earliest = now.adding(-bucket.tolerance.nanoseconds)
        // A shorter time would be no limit.
        let interval = max(bucket.interval.nanoseconds, 1)
        let next = max(full ?? earliest, earliest).adding(interval)
        delay = max(next.adding(-now).adding(-bucket.capacity.nanoseconds), 0)
        self.full = delay <= max(limit.nanoseconds, 0) ? next : nil
    }
}
