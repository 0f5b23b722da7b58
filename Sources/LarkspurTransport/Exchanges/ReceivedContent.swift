#if canImport(FoundationNetworking)
/// The path of content from a task's responses to its destination. The content is decoded. Then it is delivered to the
/// delegate, collected in memory, or written to a file. A copy goes to the cache.
///
/// The object belongs to the loop's thread.
final class ReceivedContent {
    /// The content of one response.
    struct Incoming {
        /// The framing of the content, and whether all of the content has arrived.
        var framed = FramedContent(.none)
        /// Whether another recipient of the same bytes could find a different end of the content.
        var hasDoubtfulEnd = false
        /// The entity tag of the response as octets, if some of these octets are not UTF-8; otherwise nil.
        var entityTag: String?
        /// The decoder; nil if the content is delivered unchanged.
        var decoder: ContentDecoder?
        /// The content that is buffered until the response is accepted. It is not decoded yet.
        var buffered = Data()
        /// The number of decoded bytes.
        var decodedBytes: Int64 = 0
        /// The length of the decoded content; −1 if the response does not announce it.
        var expectedBytes = NSURLSessionTransferSizeUnknown
        /// Whether the end of the content was reported before the end of the transfer.
        var isEndReported = false
        /// Whether the transfer waits for the consumer.
        var isPaused = false
        /// The number of bytes that are still taken although the consumer is too slow.
        var readAhead = 0
        /// Whether the content is only counted, because nothing receives it.
        var isUnread = false
        /// Whether a delegate receives the content in addition to the completion handler.
        var isShared = false
        /// The copy for the cache; nil if there is none.
        var copy: CacheCopy?

        /// The number of decoded bytes that have arrived. Buffered content without a coding counts too.
        var arrivedBytes: Int64 { decoder == nil ? decodedBytes + Int64(buffered.count) : decodedBytes }
    }

    /// The copy of a response for the cache. It is an object because it is large, and most responses have none.
    final class CacheCopy {
        /// The entry without its content.
        let entry: CacheEntry
        /// The content; empty if the task collects the content itself.
        @exclusivity(unchecked) var content = Data()
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
    /// The URL of the current request, for errors.
    @exclusivity(unchecked) var url: URL?

    init(task: TaskCore, group: ExchangeGroup) {
        self.task = task
        self.group = group
    }

    /// Delivers the response, unless only a completion handler receives it.
    func deliver(_ response: ReceivedResponse) {
        incoming.isShared = !task.isPiecewise && task.sharesContent
        if task.isPiecewise || incoming.isShared { group.outbox.deliver(.response(response), to: task) }
    }

    // MARK: Pausing

    /// Whether content has to wait for its consumer or for a decision. If so, records the pause. The limit for content
    /// that waits for a decision is the same as the limit for content that was delivered but not consumed.
    /// - Parameter count: The number of bytes that have arrived, which are counted if they are read ahead.
    func mustWait(isBuffering: Bool, count: Int) -> Bool {
        guard !incoming.isPaused else { return true }
        guard incoming.readAhead == 0 else {
            incoming.readAhead = max(0, incoming.readAhead - count)
            return false
        }
        incoming.isPaused =
            isBuffering ? incoming.buffered.count >= Backlog.upperMark : task.backlog.pausesTransfer()
        return incoming.isPaused
    }

    /// Whether content that has arrived is not decoded yet.
    var hasRest: Bool { incoming.decoder?.hasRest == true }

    // MARK: Taking

    /// Decodes content and delivers it. Without input, continues with content that is not yet decoded.
    ///
    /// If the consumer is too slow, the decoding pauses in the middle of the content.
    /// - Returns: The failure; nil if there is none.
    func take(_ bytes: UnsafeRawBufferPointer) -> URLError? {
        guard let decoder = incoming.decoder else { return deliver(bytes) }
        var failure: URLError?
        do throws(ContentDecoder.Failure) {
            try decoder.decode(bytes) { chunk in
                failure = deliver(chunk)
                if incoming.readAhead == 0, task.backlog.pausesTransfer() { incoming.isPaused = true }
                return failure == nil && !incoming.isPaused
            }
        } catch {
            return .engine(.cannotDecodeContentData, error.sentence, url: url)
        }
        return failure
    }

    /// Delivers the buffered content.
    func takeBuffered() -> URLError? {
        let content = incoming.buffered
        incoming.buffered = Data()
        // Only the buffered content can have caused the pause. This content is delivered now.
        incoming.isPaused = false
        return content.isEmpty ? nil : content.withUnsafeBytes(take)
    }

    /// Discards the buffered content.
    func dropBuffered() {
        incoming.buffered = Data()
        incoming.isPaused = false
    }

    /// Delivers content without decoding it.
    func deliver(_ data: Data) -> URLError? { data.withUnsafeBytes { deliver($0) } }

    private func deliver(_ bytes: UnsafeRawBufferPointer) -> URLError? {
        // If the received bytes are framing alone, there is no content. A decoder can also take bytes without returning
        // any.
        guard !bytes.isEmpty else { return nil }
        let count = Int64(bytes.count)
        incoming.decodedBytes += count
        if incoming.copy != nil { copyForCache(bytes) }
        if let excess = excess(of: incoming.decodedBytes) { return excess }
        if task.plan.kind == .download {
            do throws(URLError) {
                try write(bytes)
            } catch {
                return error
            }
        } else {
            if !task.isPiecewise { collected.append(contentsOf: bytes) }
            if task.isPiecewise ? !incoming.isUnread : incoming.isShared {
                task.backlog.add(bytes.count)
                group.outbox.deliver(bytes, to: task)
            }
        }
        let counts = task.count { $0.received += count }
        if task.plan.kind == .download, task.tellsDownload {
            group.outbox.deliver(.wrote(count, total: counts.received, expected: counts.expectedToReceive), to: task)
        }
        return nil
    }

    /// Returns the failure of a task whose response has more content than a limit; nil if it has not.
    func excess(of count: Int64) -> URLError? {
        if let limit = group.settings.options.maximumResponseSize, count > limit { return excess(over: limit) }
        guard let limit = group.settings.options.maximumContentSize, count > limit, !task.isPiecewise,
            task.plan.kind != .download
        else { return nil }
        return excess(over: limit)
    }

    private func excess(over limit: Int) -> URLError {
        .engine(
            .dataLengthExceedsMaximum,
            "The content has more than the \(limit) bytes that its session allows.",
            url: url
        )
    }

    /// Whether all of the content was delivered, according to its framing, but its end was not reported yet.
    var hasUnreportedEnd: Bool {
        !incoming.isEndReported && !incoming.isPaused && incoming.buffered.isEmpty && !hasRest
            && incoming.framed.hasEnded
    }

    /// Reports the end of the content.
    func reportEnd() {
        incoming.isEndReported = true
        group.outbox.deliver(.contentEnded, to: task)
    }

    // MARK: The copy for the cache

    private func copyForCache(_ bytes: UnsafeRawBufferPointer) {
        guard let cache = group.settings.cache, incoming.decodedBytes <= Int64(cache.maximumContentSize) else {
            // The response is too large to be stored. But the stored response is now outdated, so it is removed.
            if let copy = incoming.copy, copy.hasEntries { group.settings.cache?.remove(copy.entry.url) }
            incoming.copy = nil
            return
        }
        // For a task with a completion handler, the content is already collected.
        if task.isPiecewise { incoming.copy?.content.append(contentsOf: bytes) }
    }

    /// Takes the response with its complete content, for the cache. Returns nil if there is no copy, or if the copy was
    /// already taken.
    func takeCopy() -> CacheEntry? {
        guard let copy = incoming.copy.take() else { return nil }
        var entry = copy.entry
        entry.content = task.isPiecewise ? copy.content : collected
        return entry
    }

    // MARK: The end

    /// Checks the end of the content, after all of it was decoded.
    /// - Returns: The failure; nil if the content is complete.
    func end() -> URLError? {
        // Without a decoder, the metrics already have the number.
        if incoming.decoder != nil { task.noteDecodedBytes(incoming.decodedBytes) }
        if task.plan.kind == .download, let shortfall { return shortfall }
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
        if case .data = task.plan.completion { group.outbox.deliver(.content(collected), to: task) }
        guard task.plan.kind == .download else { return nil }
        do throws(URLError) {
            // A download of an empty response also has a file.
            group.outbox.deliver(.file(try openFile().finish()), to: task)
            return nil
        } catch {
            return error
        }
    }
}
#endif
