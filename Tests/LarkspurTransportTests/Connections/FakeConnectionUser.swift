#if canImport(FoundationNetworking)
@testable import LarkspurTransport

/// A user of connections that records the calls of a queue, a shard or libcurl.
final class FakeConnectionUser: ConnectionUser {
    let identifier: Int
    var ticket: Int?
    /// Called when the transfer may begin.
    var onBeginning: (FakeConnectionUser) -> Void = { _ in }
    private(set) var beginnings = 0
    /// The results of transfers that have ended.
    private(set) var results: [Int32] = []
    private(set) var sentBytesChecks = 0
    /// The sockets of the connections that are closed after their requests.
    private(set) var closings: [[Int32]] = []
    /// The states of the watch of streams, in order.
    private(set) var streamWatches: [Bool] = []

    var owner: ConnectionOwner { ConnectionOwner(task: identifier, origin: "http://fake.test") }

    init(_ identifier: Int) { self.identifier = identifier }

    func beginTransfer() {
        beginnings += 1
        onBeginning(self)
    }

    func socketReleased() {}
    func addressRefused() {}
    func socketIsReady(_ socket: Int32) {}
    func readMoreFrames() {}
    func noteUpload(_ event: StreamEvent, on connection: Int64?) {}
    func connectSeparately(to host: HostQueue) {}
    func closeConnection(with sockets: [OpenSocket]) { closings.append(sockets.map(\.number)) }
    func noteSentBytes() { sentBytesChecks += 1 }
    func watchStreams(_ isOn: Bool) { streamWatches.append(isOn) }

    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool { true }
    func receiveContent(_ bytes: UnsafeRawBufferPointer) -> EasyHandle.Reception { .taken }
    func provideContent(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision { .bytes(0) }
    var trailerLines: [String] { [] }
    func seekContent(to offset: Int64) -> Bool { false }
    func maySend(onStaleConnection isStale: Bool) -> Bool { true }
    func receiveTunnelHeader(_ line: UnsafeRawBufferPointer) {}
    func receive(_ event: StreamEvent) {}
    func transferEnded(_ result: Int32) { results.append(result) }
}
#endif
