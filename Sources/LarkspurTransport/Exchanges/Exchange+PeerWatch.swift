#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The check whether the other machine of a transfer's connection is lost (``PeerWatch``).
extension Exchange {
    /// Sets the time of the first check. A transfer that ends before this time costs only an addition.
    func schedulePeerCheck() {
        guard let watch = group.settings.peerWatch else { return }
        transfer.peerCheck = group.now.adding(watch.limit)
    }

    /// If the other machine of the connection is lost, ends the task. Otherwise sets the time of the next check, and
    /// returns false.
    ///
    /// The request is not sent again. A connection to a machine that does not respond would take as long as the
    /// connection that was lost.
    func endIfPeerIsLost(at now: LoopTime) -> Bool {
        transfer.peerCheck = .distantFuture
        guard let watch = group.settings.peerWatch, let handle = transfer.handle else { return false }
        // The rest of the response may have arrived already. It is not read while the task pauses.
        guard !pausesReceiving else {
            transfer.peerCheck = now.adding(TimeInterval(watch.probeInterval))
            return false
        }
        switch watch.verdict(handle.peerState) {
        case .checkAgain(let delay):
            transfer.peerCheck = now.adding(delay)
            return false
        case .lost:
            let (server, proxy) = peers(of: handle)
            let target = (proxy ?? server).map { " to the \($0)" } ?? ""
            retireConnection()
            fail(
                engineError(
                    .networkConnectionLost,
                    "The connection\(target) was lost: the other machine has confirmed nothing for \(watch.limit) seconds."
                )
            )
            return true
        }
    }
}
#endif
