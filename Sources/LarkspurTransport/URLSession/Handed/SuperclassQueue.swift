#if canImport(FoundationNetworking)
/// The queue on which the superclass of a ``CurlURLSession`` works.
enum SuperclassQueue {
    private static let key = DispatchSpecificKey<SessionCore>()

    /// The session whose superclass's queue is the current queue; nil elsewhere.
    static var session: SessionCore? { DispatchQueue.getSpecific(key: key) }

    /// Marks the queue of a session's superclass; the mark does not retain the session.
    static func mark(_ queue: DispatchQueue, with core: SessionCore) { queue.setSpecific(key: key, value: core) }
}
#endif
