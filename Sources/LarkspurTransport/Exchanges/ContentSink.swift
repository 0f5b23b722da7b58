#if canImport(FoundationNetworking)
/// The path of content from a task's responses to its destination. Content is decoded, then goes to the delegate, into
/// memory or into a file, with a copy for the cache.
///
/// The sink belongs to the loop's thread.
final class ContentSink {
    /// The content of one response.
    struct Incoming {
        /// The content as the server frames it, and whether all of it has arrived.
        var framed = FramedContent(.none)
        /// Whether another reader of the same bytes could find another end of the content.
        var hasDoubtfulEnd = false
        /// The decoder; nil if the content is delivered unchanged.
        var decoder: ContentDecoder?
        /// The content that waits for its disposition, not decoded.
        var buffered = Data()
        /// The number of decoded bytes.
        var decodedBytes: Int64 = 0
        /// The length of the decoded content; −1 if the response does not announce it.
        var expectedBytes = NSURLSessionTransferSizeUnknown
        /// Whether the transfer waits until the consumer has consumed some of the content.
        var isPaused = false
        /// Whether the content is counted and not delivered, as there is no delegate for it.
        var isUnread = false
        /// Whether the content is delivered to a delegate besides being collected.
        var isShared = false
        /// The copy for the cache; nil if there is none.
        var copy: CacheCopy?

        /// Returns the decoded bytes that have arrived. Content without codings need not be decoded to be counted.
        func arrivedBytes(isBuffering: Bool) -> Int64 {
            isBuffering && decoder == nil ? Int64(buffered.count) : decodedBytes
        }
    }

    /// A response on its way into the cache. It is an object, as it is large, and most content has none.
    final class CacheCopy {
        /// The entry without its content.
        let entry: CacheEntry
        /// The content; empty if the content is collected for the task anyway.
        var content = Data()
        /// Whether the cache may have responses for the URL.
        let hasEntries: Bool

        init(entry: CacheEntry, hasEntries: Bool) {
            self.entry = entry
            self.hasEntries = hasEntries
        }
    }

    let task: TaskCore
    unowned let group: ExchangeGroup
    @exclusivity(unchecked) var incoming = Incoming()
    /// The content of a task with a completion handler.
    @exclusivity(unchecked) private var collected = Data()
    @exclusivity(unchecked) var download = DownloadState()
    /// The URL of the request under way, for errors.
    @exclusivity(unchecked) var url: URL?

    init(task: TaskCore, group: ExchangeGroup) {
        self.task = task
        self.group = group
    }

    /// Delivers the response, unless a completion handler alone receives it.
    func deliver(_ response: ReceivedResponse) {
        incoming.isShared = !task.isPiecewise && task.sharesContent
        if task.isPiecewise || incoming.isShared { group.outbox.deliver(.response(response), to: task) }
    }

    // MARK: Pausing

    /// Whether content has to wait until the consumer, or a decision, has made room; records the pause.
    func mustWait(isBuffering: Bool) -> Bool {
        guard !incoming.isPaused else { return true }
        incoming.isPaused =
            isBuffering ? incoming.buffered.count >= Backlog.upperMark : task.backlog.pausesTransfer()
        return incoming.isPaused
    }

    /// Whether there is content that has arrived and is not decoded yet.
    var hasRest: Bool { incoming.decoder?.hasRest == true }

    // MARK: Taking

    /// Decodes content and delivers it; without input, continues with content that is not decoded yet.
    ///
    /// It pauses in the middle if the consumer is too slow.
    /// - Returns: The failure; nil if there is none.
    func take(_ bytes: UnsafeRawBufferPointer) -> URLError? {
        guard let decoder = incoming.decoder else { return deliver(bytes) }
        var failure: URLError?
        do throws(ContentDecoder.Failure) {
            try decoder.decode(bytes) { piece in
                failure = deliver(piece)
                if task.backlog.pausesTransfer() { incoming.isPaused = true }
                return failure == nil && !incoming.isPaused
            }
        } catch {
            return .engine(.cannotDecodeContentData, error.sentence, url: url)
        }
        return failure
    }

    /// Takes the content that was buffered.
    func takeBuffered() -> URLError? {
        let content = incoming.buffered
        incoming.buffered = Data()
        // Any pause was because of the content that is delivered now.
        incoming.isPaused = false
        return content.isEmpty ? nil : content.withUnsafeBytes(take)
    }

    /// Discards the content that was buffered.
    func dropBuffered() {
        incoming.buffered = Data()
        incoming.isPaused = false
    }

    /// Delivers content without decoding it.
    func deliver(_ data: Data) -> URLError? { data.withUnsafeBytes { deliver($0) } }

    private func deliver(_ bytes: UnsafeRawBufferPointer) -> URLError? {
        // The framing of chunks can arrive without content, and a decoder can take bytes without returning any.
        guard !bytes.isEmpty else { return nil }
        let count = Int64(bytes.count)
        incoming.decodedBytes += count
        if incoming.copy != nil { copyForCache(bytes) }
        if task.kind == .download {
            do throws(URLError) {
                try write(bytes)
            } catch {
                return error
            }
        } else if let excess = excess(of: Int64(collected.count) + count) {
            return excess
        } else {
            if !task.isPiecewise { collected.append(contentsOf: bytes) }
            if task.isPiecewise ? !incoming.isUnread : incoming.isShared {
                task.backlog.add(bytes.count)
                group.outbox.deliver(bytes, to: task)
            }
        }
        let counts = task.count { $0.received += count }
        if task.kind == .download, task.tellsDownload {
            group.outbox.deliver(.wrote(count, total: counts.received, expected: counts.expectedToReceive), to: task)
        }
        return nil
    }

    /// Returns the failure of a task that would collect this much content; nil if it collects none, or if the limit
    /// allows it.
    func excess(of count: Int64) -> URLError? {
        guard let limit = group.settings.options.maximumContentSize, count > limit, !task.isPiecewise,
            task.kind != .download
        else { return nil }
        return .engine(
            .dataLengthExceedsMaximum,
            "The content has more than the \(limit) bytes that its session allows.",
            url: url
        )
    }

    // MARK: The copy for the cache

    private func copyForCache(_ bytes: UnsafeRawBufferPointer) {
        guard let cache = group.settings.cache, incoming.decodedBytes <= Int64(cache.maximumContentSize) else {
            // The stored response is out of date all the same.
            if let copy = incoming.copy, copy.hasEntries { group.settings.cache?.remove(copy.entry.url) }
            incoming.copy = nil
            return
        }
        // The content of a task with a completion handler is collected anyway.
        if task.isPiecewise { incoming.copy?.content.append(contentsOf: bytes) }
    }

    /// Takes the response for the cache, with all of its content; once.
    func takeCopy() -> CacheEntry? {
        guard let copy = incoming.copy.take() else { return nil }
        var entry = copy.entry
        entry.content = task.isPiecewise ? copy.content : collected
        return entry
    }

    // MARK: The end

    /// Checks the end of completely decoded content.
    /// - Returns: The failure; nil if the content is complete.
    func finish() -> URLError? {
        task.noteDecodedBytes(incoming.decodedBytes)
        if let shortfall { return shortfall }
        do throws(ContentDecoder.Failure) {
            try incoming.decoder?.finish()
            return nil
        } catch {
            return .engine(.cannotDecodeContentData, error.sentence, url: url)
        }
    }

    /// Delivers the complete content or file, if the task has a completion handler or is a download.
    /// - Returns: The failure; nil if there is none.
    func deliverResult() -> URLError? {
        if case .data = task.completion { group.outbox.deliver(.content(collected), to: task) }
        guard task.kind == .download else { return nil }
        do throws(URLError) {
            // A response without content makes a file too.
            group.outbox.deliver(.file(try openFile().finish()), to: task)
            return nil
        } catch {
            return error
        }
    }
}
#endif
