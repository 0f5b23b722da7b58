/// The elements of a stream that is connected again when its connection ends: see
/// ``SessionManager/reconnecting(by:_:)``.
///
/// Leaving the loop cancels the connection. Cancelling the surrounding `Task` ends the loop immediately with the code
/// `cancelled`, also during a delay. At the deadline of a surrounding ``withTimeout(total:clock:isolation:_:)`` the
/// loop ends with the code `timedOut`. A second loop begins a new stream.
public struct ReconnectingSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element: Sendable, Base.Failure == LarkspurError {
    /// An element of a connection.
    public typealias Element = Base.Element
    /// The error that ends the sequence.
    public typealias Failure = LarkspurError

    let connect: @Sendable (_ last: Element?) -> Base?
    let schedule: ReconnectionSchedule
    let clock: any Clock<Duration>

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iterator over the elements. It connects when the first element is requested.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: ReconnectingSequence
        private var schedule: ReconnectionSchedule
        private var connection: Base.AsyncIterator?
        private var last: Element?
        private var hasEnded = false

        init(_ sequence: ReconnectingSequence) {
            self.sequence = sequence
            schedule = sequence.schedule
        }

        /// Returns the next element; nil at the end.
        /// - Throws: ``LarkspurError`` if a connection fails and no other follows. Its code is `cancelled` after a
        ///   cancellation.
        public mutating func next() async throws(LarkspurError) -> Element? { try await next(isolation: nil) }

        /// Returns the next element; nil at the end.
        /// - Parameter actor: The caller's actor.
        /// - Throws: The errors of ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(LarkspurError) -> Element? {
            if hasEnded { return nil }
            do throws(LarkspurError) {
                repeat {
                    if let element = try await receive(isolation: actor) {
                        schedule.noteContent()
                        last = element
                        return element
                    }
                } while !hasEnded
                return nil
            } catch {
                hasEnded = true
                throw error
            }
        }

        /// Returns the next element of the connection. After the end of a connection, waits for the next one, and
        /// returns nil.
        private mutating func receive(isolation actor: isolated (any Actor)?) async throws(LarkspurError) -> Element? {
            var failure: LarkspurError?
            do throws(LarkspurError) {
                if connection == nil { connection = sequence.connect(last)?.makeAsyncIterator() }
                guard connection != nil else {
                    hasEnded = true
                    return nil
                }
                if let element = try await connection?.next(isolation: actor) { return element }
            } catch {
                failure = error
            }
            // The release of the iterator cancels its connection.
            connection = nil
            guard let delay = try schedule.nextDelay(after: failure) else {
                hasEnded = true
                return nil
            }
            try await ReconnectionSchedule.sleep(for: delay, on: sequence.clock)
            return nil
        }
    }
}

@available(*, unavailable)
extension ReconnectingSequence.Iterator: Sendable {}
