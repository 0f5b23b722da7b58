import HTTPSyntax
import Synchronization

/// An observer that records calls as an HTTP archive (HAR 1.2). Browsers and many other programs can open such a file.
///
///     let recorder = HARRecorder()
///     manager.observers.append(recorder)
///     let user = try await manager.get("users/1").value(as: User.self)
///     try recorder.write(to: URL(fileURLWithPath: "calls.har"))
///
/// Each request and its response is an entry. This includes redirects, challenges, retries, and responses from the
/// cache. An entry has content only if it was in memory: the content of such a request, and the content of the last
/// response of a data or upload task. Trailers and interim responses are left out, because the format has no place for
/// them. A ``Redaction`` hides secrets. If there are too many entries or bytes, the oldest entries are removed, and the
/// archive states their number.
public final class HARRecorder: CallObserver {
    private struct State {
        /// The entries by their numbers. The oldest entry has the number `first`.
        var entries: [Int: HAREntry] = [:]
        var first = 0
        var byteCount = 0

        mutating func append(_ entry: HAREntry) {
            entries[first + entries.count] = entry
            byteCount += entry.byteCount
        }

        mutating func dropFirst() {
            byteCount -= entries.removeValue(forKey: first)?.byteCount ?? 0
            first += 1
        }
    }

    /// The kinds of events that are recorded.
    public let kinds: Set<CallEvent.Kind> = [.completed]

    private let redaction: Redaction
    private let entryLimit: Int
    private let byteLimit: Int
    private let contentLimit: Int
    private let state = Mutex(State())

    /// Creates a recorder without entries.
    /// - Parameters:
    ///   - redaction: The rule by which secrets are hidden before an entry is stored. Default: ``Redaction/standard``.
    ///   - entryLimit: The maximum number of entries. If it is reached, each new entry replaces the oldest. Default:
    ///     10,000.
    ///   - byteLimit: The maximum size of the entries in memory, in bytes. If it is reached, new entries replace the
    ///     oldest. Default: 64 MiB.
    ///   - contentLimit: The maximum size in bytes of the content of a request or response. Larger content is omitted.
    ///     The limit is at most an eighth of `byteLimit`. Default: 1 MiB.
    public init(
        redaction: Redaction = .standard,
        entryLimit: Int = 10_000,
        byteLimit: Int = 64 << 20,
        contentLimit: Int = 1 << 20
    ) {
        self.redaction = redaction
        self.entryLimit = max(1, entryLimit)
        self.byteLimit = max(0, byteLimit)
        // An entry has up to two contents, and base64 makes each a third longer. With an eighth of `byteLimit` for each
        // content, both take about a third of it. So one entry cannot replace all other entries.
        self.contentLimit = max(0, min(contentLimit, self.byteLimit / 8))
    }

    /// Records the requests and responses of a call that has ended.
    public func observe(_ event: CallEvent) {
        guard let completion = event.completion else { return }
        let builder = HAREntryBuilder(redaction: redaction, contentLimit: contentLimit)
        let entries = builder.entries(of: event, completion)
        state.withLock { state in
            for entry in entries { state.append(entry) }
            while state.entries.count > entryLimit || state.byteCount > byteLimit { state.dropFirst() }
        }
    }

    /// The number of entries.
    package var count: Int { state.withLock { $0.entries.count } }

    /// The size of the entries in memory, in bytes: the size of their texts, and 1 KiB for the rest of each entry.
    package var byteCount: Int { state.withLock { $0.byteCount } }

    /// Removes all entries.
    package func removeAll() { state.withLock { $0 = State() } }

    /// The archive as JSON, with the entries in the order of their start.
    public var data: Data {
        let (entries, dropped) = state.withLock { ($0.entries, $0.first) }
        let sorted = entries.sorted { ($0.value.startedDateTime, $0.key) < ($1.value.startedDateTime, $1.key) }
        let comment = dropped == 0 ? nil : "The \(dropped) oldest entries were left out."
        let archive = HARArchive(log: .init(entries: sorted.map(\.value), comment: comment))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // All values are text or finite numbers, so encoding does not fail.
        return (try? encoder.encode(archive)) ?? Data()
    }

    /// Writes the archive to a file, and replaces an existing file. Only the owner of the file may read it.
    ///
    /// A symbolic link is followed, unless it belongs to another user. A device, a pipe, and the file of the standard
    /// output or error are written to, and not replaced.
    /// - Parameter file: The file.
    /// - Throws: The error of the file system.
    public func write(to file: URL) throws {
        try PrivateFile.write(data, to: file)
    }
}
