#if canImport(FoundationNetworking)
/// The events of a turn of the loop that will be delivered to delegates and completion handlers, in order. Only the
/// thread that has the loop uses the object. The events are sent only on the loop's own thread.
final class Outbox {
    private let mailbox: LoopMailbox
    private let cookies: CookieJar
    @exclusivity(unchecked) private var items: [Delivery.Item] = []
    /// The content that is delivered after the events in `items`. Further content of the same task is added to it.
    @exclusivity(unchecked) private var arrival: Arrival?
    /// The events that wait for work outside of the loop; nil while there is no such work.
    @exclusivity(unchecked) private var holds: DeliveryHolds? {
        didSet { if holds?.isEmpty == true { holds = nil } }
    }

    /// - Parameters:
    ///   - mailbox: The mailbox of the loop.
    ///   - cookies: The cookies of the session.
    init(mailbox: LoopMailbox, cookies: CookieJar) {
        self.mailbox = mailbox
        self.cookies = cookies
    }

    /// Whether there is nothing to send.
    var isEmpty: Bool { items.isEmpty && arrival == nil }

    /// Whether events wait for work outside of the loop.
    var isHolding: Bool { holds != nil }

    /// Passes the events to ``Delivery``.
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
        if holds == nil { items.append(.event(task, event)) } else { items += holds?.pass(event, of: task) ?? [] }
    }

    /// Delivers the metrics of a task, and then its end.
    func end(_ task: TaskCore, with error: (any Error)?) {
        if task.tellsMetrics { deliver(.metrics(hasFailed: error != nil), to: task) }
        deliver(.end(error), to: task)
    }

    /// Delivers content. All content of one turn is delivered together. libcurl passes at most 16 KiB at a time, and
    /// each call of a delegate has a cost.
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

    /// Records that a part of a task's work outside of the loop has ended, and delivers the events that have waited for
    /// it.
    func release(_ task: TaskCore) {
        items += holds?.release(task) ?? []
    }

    /// Stores a response's cookies. The task's later events wait until the cookies are in the storage, so that a
    /// delegate can read them there.
    func storeCookies(_ setCookies: [String], from url: URL, mainDocumentURL: URL?, of task: TaskCore) {
        let mailbox = mailbox
        let isWriting = cookies.store(setCookies, from: url, mainDocumentURL: mainDocumentURL) {
            mailbox.post(.stored(task))
        }
        guard isWriting else { return }
        // While `holds` changes, no other reference to its storage exists.
        var holds = holds.take() ?? DeliveryHolds()
        holds.hold(task)
        self.holds = holds
    }
}

/// The content of one task that has arrived in a turn of the loop.
private struct Arrival {
    /// The size of libcurl's chunks while libcurl has more content. After a smaller chunk, no other chunk follows in
    /// the same turn.
    private static let chunkSize = 1 << 14

    let task: TaskCore
    private(set) var content: Data
    /// The number of bytes that can still be added.
    private(set) var room: Int

    init(task: TaskCore, content bytes: UnsafeRawBufferPointer) {
        self.task = task
        if bytes.count >= Self.chunkSize, bytes.count < EasyHandle.bufferSize {
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
