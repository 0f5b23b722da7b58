#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The times in which the loss of the other machine of a TCP connection is detected. It is a value without I/O.
///
/// If nothing arrives for ``firstProbe`` seconds, the system asks the other machine for a confirmation, and repeats
/// this every ``probeInterval`` seconds. While sent bytes are not confirmed, the system sends these bytes again
/// instead. So on a connection that works, the other machine is silent for at most ``firstProbe`` seconds and a round
/// trip. A connection is lost if the other machine is silent for ``limit`` seconds and has not confirmed two such
/// packets in a row. With the default of 25 seconds, the system sends probes after 10, 15 and 20 seconds.
///
/// The engine compares the times, because the system cannot apply the same limit. `TCP_USER_TIMEOUT` also ends a
/// connection whose other machine confirms every probe, but accepts no bytes for this time, because its program is busy
/// (measured with Linux 6.18). The number of probes (`TCP_KEEPCNT`) counts only while no sent bytes are unconfirmed.
struct PeerWatch: Sendable {
    /// The time in seconds after which a silent machine is lost.
    let limit: TimeInterval
    /// The seconds of silence before the first probe.
    let firstProbe: Int32
    /// The seconds between two probes.
    let probeInterval: Int32
    /// The number of probes without a confirmation after which the system closes a connection. With the default, it
    /// closes an idle connection after 30 seconds. So a task that waits ends before this, with the engine's error.
    static let probeCount: Int32 = 4

    /// The largest number of seconds that Linux accepts for the times of probes.
    private static let longestTime = 32_767

    /// - Parameter limit: The limit, which is rounded up to whole seconds, and is at least one second.
    init(limit: Duration) {
        self.limit = max(1, limit.timeInterval.rounded(.up))
        let seconds = Int(min(self.limit, 1e9))
        firstProbe = Int32(max(1, min(2 * seconds / 5, Self.longestTime)))
        probeInterval = Int32(max(1, min((seconds + 4) / 5, Self.longestTime)))
    }

    /// The result of a check.
    enum Verdict: Equatable {
        case lost
        /// The connection is checked again after this number of seconds.
        case checkAgain(after: TimeInterval)
    }

    /// Decides whether a connection is lost.
    /// - Parameter state: The state of the connection; nil if there is no established TCP connection.
    func verdict(_ state: PeerState?) -> Verdict {
        guard let state else { return .checkAgain(after: limit) }
        // The system rounds its times. So the check takes place a little later.
        if state.silence < limit { return .checkAgain(after: limit - state.silence + 0.02) }
        // The other machine was not asked, or not twice. This is so while it accepts no bytes, because the system then
        // asks less and less often.
        return state.isSilent ? .lost : .checkAgain(after: TimeInterval(probeInterval))
    }

    /// Makes the system send probes on a connection.
    func configure(_ socket: Int32) {
        let values = [
            (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, firstProbe),
            (Int32(IPPROTO_TCP), TCP_KEEPINTVL, probeInterval), (Int32(IPPROTO_TCP), TCP_KEEPCNT, Self.probeCount),
        ]
        for (level, option, value) in values {
            var value = value
            setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}

/// The state of the other machine of a TCP connection, as the system knows it.
struct PeerState: Equatable {
    /// The time in seconds since the last packet from the other machine.
    let silence: TimeInterval
    /// Whether the other machine has not confirmed two repetitions of sent bytes, or two probes.
    let isSilent: Bool

    init(silence: TimeInterval, isSilent: Bool) {
        self.silence = silence
        self.isSilent = isSilent
    }

    /// Reads the state of a socket; nil if the socket is not an established TCP connection.
    init?(of socket: Int32) {
        // The beginning of tcp_info: bytes with the state, the retransmissions and the probes, then 32-bit numbers. The
        // last two are the milliseconds since content, and since a confirmation, arrived.
        let size = 60
        let state = withUnsafeTemporaryAllocation(byteCount: size, alignment: 4) { information -> PeerState? in
            var length = socklen_t(size)
            guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, information.baseAddress, &length) == 0,
                length == size, [Self.established, Self.closeWait].contains(information[0])
            else { return nil }
            let sinceContent = information.load(fromByteOffset: 52, as: UInt32.self)
            let sinceConfirmation = information.load(fromByteOffset: 56, as: UInt32.self)
            return PeerState(
                silence: TimeInterval(min(sinceContent, sinceConfirmation)) / 1000,
                isSilent: max(information[2], information[3]) >= 2
            )
        }
        guard let state else { return nil }
        self = state
    }

    /// The states of TCP in which the engine may wait for the other machine.
    private static let established: UInt8 = 1
    private static let closeWait: UInt8 = 8
}
#endif
