extension CallEvent {
    /// The kind of an event. Later releases may add kinds.
    public struct Kind: Sendable, Hashable, CaseIterable, CustomStringConvertible {
        private enum Name: UInt32, CaseIterable {
            case created, resumed, suspended, cancelled
            case attemptStarted, redirected, challenged, responseReceived, contentSent, contentReceived
            case transactionEnded, attemptEnded, retryScheduled, coalesced
            case completed
            case webSocketOpened, webSocketSent, webSocketReceived, webSocketClosed
        }

        private let name: Name

        private init(_ name: Name) { self.name = name }

        /// The call was made; it may not have started.
        public static let created = Self(.created)
        /// The task was started, or continues after a suspension.
        public static let resumed = Self(.resumed)
        /// The task was suspended.
        public static let suspended = Self(.suspended)
        /// The task was cancelled by the program, or because a limit of time has passed.
        public static let cancelled = Self(.cancelled)
        /// An attempt begins: the request goes to the transport.
        public static let attemptStarted = Self(.attemptStarted)
        /// A redirect is followed, or not.
        public static let redirected = Self(.redirected)
        /// A server or proxy asks for credentials that the transport does not have already. With the transport
        /// `.foundation` on Linux only by the scheme Basic.
        public static let challenged = Self(.challenged)
        /// The header of a response that is delivered has arrived.
        public static let responseReceived = Self(.responseReceived)
        /// Content of the request was sent.
        public static let contentSent = Self(.contentSent)
        /// Content of the response has arrived. Pieces that come while an observer works are one event.
        public static let contentReceived = Self(.contentReceived)
        /// A request of an attempt and its response have ended: one for each redirect and challenge, and for each
        /// response of the cache. It has the phases of the connection. All of an attempt come at its end. None with
        /// the transport `.foundation`, which has no metrics.
        public static let transactionEnded = Self(.transactionEnded)
        /// An attempt has ended, with a response of any status or an error.
        public static let attemptEnded = Self(.attemptEnded)
        /// ``RetryPolicy`` sends the request again after a delay.
        public static let retryScheduled = Self(.retryScheduled)
        /// ``RequestCoalescing`` has the call wait for the response to an equal request under way.
        public static let coalesced = Self(.coalesced)
        /// The task has ended: the response was validated and serialized, or there is an error. It is the last event of
        /// a task, once, and comes before its handlers run.
        public static let completed = Self(.completed)
        /// A WebSocket's connection is open.
        public static let webSocketOpened = Self(.webSocketOpened)
        /// A WebSocket has sent a message. If 10,000 events wait for a slow observer, further messages have none.
        public static let webSocketSent = Self(.webSocketSent)
        /// A WebSocket has received a message. If 10,000 events wait for a slow observer, further messages have none.
        public static let webSocketReceived = Self(.webSocketReceived)
        /// A WebSocket's connection was closed, refused or lost.
        public static let webSocketClosed = Self(.webSocketClosed)

        /// All kinds of this version, in the order of a call.
        public static let allCases = Name.allCases.map(Self.init)

        /// The name of the kind, such as `retryScheduled`.
        public var description: String {
            // Not by reflection, whose names are missing in programs that are built without its metadata.
            switch name {
            case .created: "created"
            case .resumed: "resumed"
            case .suspended: "suspended"
            case .cancelled: "cancelled"
            case .attemptStarted: "attemptStarted"
            case .redirected: "redirected"
            case .challenged: "challenged"
            case .responseReceived: "responseReceived"
            case .contentSent: "contentSent"
            case .contentReceived: "contentReceived"
            case .transactionEnded: "transactionEnded"
            case .attemptEnded: "attemptEnded"
            case .retryScheduled: "retryScheduled"
            case .coalesced: "coalesced"
            case .completed: "completed"
            case .webSocketOpened: "webSocketOpened"
            case .webSocketSent: "webSocketSent"
            case .webSocketReceived: "webSocketReceived"
            case .webSocketClosed: "webSocketClosed"
            }
        }

        var bit: UInt32 { 1 << name.rawValue }
    }
}
