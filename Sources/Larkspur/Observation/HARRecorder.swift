import Synchronization

/// An observer that records calls as an HTTP archive (HAR 1.2), which browsers and many tools open.
///
///     let recorder = HARRecorder()
///     manager.observers.append(recorder)
///     …
///     try recorder.write(to: URL(fileURLWithPath: "calls.har"))
///
/// Each request and its response is an entry: a redirect, a challenge, a retry and an answer of the cache have one
/// each. Content is in it if it was collected in memory: that of requests from memory, and that of the last response of
/// a data or upload task. Secrets are hidden by a ``Redaction``.
public final class HARRecorder: CallObserver {
    private struct State {
        var entries: [HAREntry] = []
        var dropped = 0
    }

    /// The kinds of events that are recorded.
    public let kinds: Set<CallEvent.Kind> = [.completed]

    private let redaction: Redaction
    private let entryLimit: Int
    private let contentLimit: Int
    private let state = Mutex(State())

    /// Creates a recorder without entries.
    /// - Parameters:
    ///   - redaction: The rule by which secrets are hidden, before anything is kept. Default: ``Redaction/standard``.
    ///   - entryLimit: The maximum number of entries; then each new one replaces the oldest. Default: 10,000.
    ///   - contentLimit: The number of bytes above which the content of a request or response is left out. Default:
    ///     1 MiB.
    public init(redaction: Redaction = .standard, entryLimit: Int = 10_000, contentLimit: Int = 1 << 20) {
        self.redaction = redaction
        self.entryLimit = max(1, entryLimit)
        self.contentLimit = max(0, contentLimit)
    }

    /// Records the requests and responses of a call that has ended.
    public func observe(_ event: CallEvent) {
        guard let completion = event.completion else { return }
        let builder = HAREntryBuilder(redaction: redaction, contentLimit: contentLimit)
        let entries = builder.entries(of: event, completion)
        state.withLock { state in
            state.entries += entries
            // Not one by one, which would move all others each time.
            guard state.entries.count >= entryLimit * 2 else { return }
            state.dropped += state.entries.count - entryLimit
            state.entries.removeFirst(state.entries.count - entryLimit)
        }
    }

    /// The number of entries.
    public var count: Int { min(entryLimit, state.withLock { $0.entries.count }) }

    /// Removes all entries.
    public func removeAll() { state.withLock { $0 = State() } }

    /// The archive as JSON, with the entries in the order of their start.
    public var data: Data {
        let (entries, dropped) = state.withLock { state in
            (state.entries.suffix(entryLimit), state.dropped + max(0, state.entries.count - entryLimit))
        }
        let sorted = entries.sorted { $0.startedDateTime < $1.startedDateTime }
        let comment = dropped == 0 ? nil : "The \(dropped) oldest entries were left out."
        let archive = HARArchive(log: .init(entries: sorted, comment: comment))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // All values are text and finite numbers, so that encoding does not fail.
        return (try? encoder.encode(archive)) ?? Data()
    }

    /// Writes the archive to a file, in place of one that exists. Only its owner may read it.
    /// - Parameter file: The file.
    /// - Throws: The error of the file system.
    public func write(to file: URL) throws {
        try PrivateFile.write(data, to: file)
    }
}
