#if canImport(FoundationNetworking)
/// One that uses connections: it waits for a place at its origin, and then has a transfer in a shard.
protocol ConnectionUser: EasyHandleClient {
    /// The identifier of its task.
    var identifier: Int { get }

    /// The ticket in the queue of the origin, while it waits there.
    var ticket: Int? { get set }

    /// Begins the transfer: there is a place for it.
    func beginTransfer()

    /// Reports how much of its content has been sent.
    func noteSentBytes()

    /// Turns the reporting of streams on or off for its transfer.
    func watchStreams(_ isOn: Bool)
}
#endif
