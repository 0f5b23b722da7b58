#if canImport(FoundationNetworking)
/// The events of a turn of the loop, in order, on their way to delegates and completion handlers. It belongs to the
/// loop's thread.
final class Outbox {
    private let mailbox: LoopMailbox
    private let cookies: CookieJar
    @exclusivity(unchecked) private var items: [Delivery.Item] = []
    /// The content to deliver after the other events. Content that follows is added to it.
    @exclusivity(unchecked) private var arrival: Arrival?
    @exclusivity(unchecked) private var holds = DeliveryHolds()

    /// - Parameters:
    ///   - mailbox: The mailbox of the loop.
    ///   - cookies: The cookies of the session.
    init(mailbox: LoopMailbox, cookies: CookieJar) {
        self.mailbox = mailbox
        self.cookies = cookies
    }

    /// Whether events wait for work outside of the loop.
    var isHolding: Bool { !holds.isEmpty }

    /// Hands the events over to their delivery.
    func send() {
        endArrival()
        mailbox.delivery.send(&items)
    }

    func deliver(_ event: Delivery.Event, to task: TaskCore) {
        endArrival()
        add(event, to: task)
    }

    func deliver(_ item: Delivery.Item) {
        endArrival()
        items.append(item)
    }

    private func add(_ event: Delivery.Event, to task: TaskCore) {
        if holds.isEmpty { items.append(.event(task, event)) } else { items += holds.pass(event, of: task) }
    }

    /// Delivers the metrics of a task, and then its end.
    func end(_ task: TaskCore, with error: (any Error)?) {
        if task.tellsMetrics { deliver(.metrics(hasFailed: error != nil), to: task) }
        deliver(.complete(error), to: task)
    }

    /// Delivers content, joined with further content of the same turn: libcurl passes on 16 KiB at a time, and each
    /// call of a delegate has a cost.
    func deliver(_ content: UnsafeRawBufferPointer, to task: TaskCore) {
        if arrival?.task === task, content.count <= arrival?.room ?? 0 {
            arrival?.add(content)
        } else {
            endArrival()
            arrival = Arrival(task: task, content: content)
        }
    }

    private func endArrival() {
        guard let arrival = arrival.take() else { return }
        add(.data(arrival.content), to: arrival.task)
    }

    // MARK: Events that wait

    /// Delivers the events of a task that have waited for work that has ended now.
    func release(_ task: TaskCore) { items += holds.release(task) }

    /// Stores a response's cookies. The task's later events wait until the storage has them, so that a delegate can
    /// read them there.
    func storeCookies(_ setCookies: [String], from url: URL, mainDocumentURL: URL?, of task: TaskCore) {
        let mailbox = mailbox
        let isWriting = cookies.store(setCookies, from: url, mainDocumentURL: mainDocumentURL) {
            mailbox.post(.stored(task))
        }
        if isWriting { holds.hold(task) }
    }

    /// Stores a response in a cache. If the response is also copied to the program's cache, the task's later events
    /// wait until it is there.
    func store(_ entry: CacheEntry, for request: URLRequest, in cache: any ResponseStore, of task: TaskCore) {
        guard cache.isCopied else { return cache.store(entry, for: request) }
        let mailbox = mailbox
        holds.hold(task)
        cache.store(entry, for: request) { mailbox.post(.stored(task)) }
    }

    /// Asks the delegate whether a response is to be stored. If so, stores it like ``store(_:for:in:of:)``.
    func propose(_ entry: CacheEntry, for request: URLRequest, in cache: any ResponseStore, of task: TaskCore) {
        let (mailbox, waits) = (mailbox, cache.isCopied)
        let proposal = CacheProposal(entry: entry, request: request, destination: cache) {
            if waits { mailbox.post(.stored(task)) }
        }
        deliver(.willCache(proposal), to: task)
        if waits { holds.holdLater(task) }
    }
}

/// The content of one task that has arrived in a turn of the loop.
private struct Arrival {
    /// The size of the chunks in which libcurl passes content on while it has more. After a smaller one, none follows
    /// in the same turn.
    private static let pieceSize = 1 << 14

    let task: TaskCore
    private(set) var content: Data
    /// The number of bytes that can still be added.
    private(set) var room: Int

    init(task: TaskCore, content bytes: UnsafeRawBufferPointer) {
        self.task = task
        if bytes.count >= Self.pieceSize, bytes.count < EasyHandle.bufferSize {
            room = EasyHandle.bufferSize
            content = Data(capacity: room)
            add(bytes)
        } else {
            room = 0
            content = Data(bytes)
        }
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        content.append(bytes.bindMemory(to: UInt8.self))
        room -= bytes.count
    }
}
#endif
