import Larkspur

extension SessionTask {
    /// Starts the task, and returns the numbers of bytes received so far, until the end of the call.
    var downloadCounts: AsyncCompactMapSequence<AsyncStream<CallEvent>, Int64> {
        let events = callEvents([.contentReceived], limit: 1)
        if state == .initialized { resume() }
        return events.compactMap(\.totalByteCount)
    }

    /// Starts the task, and returns the numbers of bytes sent so far in all attempts, until the end of the call.
    var uploadCounts: AsyncCompactMapSequence<AsyncStream<CallEvent>, Int64> {
        let events = callEvents([.contentSent], limit: 1)
        resume()
        return events.compactMap { [self] _ in uploadProgress.completedUnitCount }
    }
}
