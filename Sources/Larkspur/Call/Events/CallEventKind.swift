extension CallEvent {
    /// The kind of an event. Later releases may add kinds.
    public struct Kind: Sendable, Hashable, CaseIterable, CustomStringConvertible {
        private enum Name: UInt32, CaseIterable {
            case created, resumed, suspended, cancelled
            case attemptStarted, waitingForConnection, redirected, challenged, interimResponse, responseReceived,
                contentSent, contentReceived
            case transactionEnded, attemptEnded, retryScheduled, coalesced
            case completed
            case webSocketOpened, webSocketSent, webSocketReceived, webSocketClosed
            case limitReached
            case sharedStoreFailed
        }

        private let name: Name

        private init(_ name: Name) { self.name = name }

        /// The call was made. It may not have started yet.
        public static let created = Self(.created)
        /// The task was started, or continues after a suspension.
        public static let resumed = Self(.resumed)
        /// The task was suspended.
        public static let suspended = Self(.suspended)
        /// The task was cancelled by the program, or because a limit of time has passed.
        public static let cancelled = Self(.cancelled)
        /// An attempt begins: the request goes to the transport.
        public static let attemptStarted = Self(.attemptStarted)
        /// The request has waited a second for a connection, because the maximum number of requests is under way:
        /// `httpMaximumConnectionsPerHost`, or `maximumConnections` of the engine. Only a session that the manager has
        /// created itself, with the transport `.curl`, posts these events.
        public static let waitingForConnection = Self(.waitingForConnection)
        /// A redirect has arrived. It may be followed or not.
        public static let redirected = Self(.redirected)
        /// A server or proxy requires credentials that the transport does not have yet. With the transport
        /// `.foundation` on Linux, only challenges of the Basic scheme are reported.
        public static let challenged = Self(.challenged)
        /// An interim response has arrived, such as `103 Early Hints`: its status is 100 to 199, but not 101. There may
        /// be up to 100 of them before the response. Only a session that the manager has created itself, with the
        /// transport `.curl`, posts these events. With the transport `.foundation` on Linux, interim responses are
        /// ``responseReceived``.
        public static let interimResponse = Self(.interimResponse)
        /// The header of a response has arrived, and the transport delivers the response.
        public static let responseReceived = Self(.responseReceived)
        /// Content of the request was sent.
        public static let contentSent = Self(.contentSent)
        /// Content of the response has arrived. Chunks that arrive while an observer works become one event.
        public static let contentReceived = Self(.contentReceived)
        /// A transaction of an attempt has ended: one request and its response. Each redirect, challenge and response
        /// from the cache is a transaction. ``CallEvent/transaction`` has the phases of its connection. All such events
        /// of an attempt are posted at its end. The transport `.foundation` has no metrics, and posts no such events.
        public static let transactionEnded = Self(.transactionEnded)
        /// An attempt has ended, with a response of any status or an error.
        public static let attemptEnded = Self(.attemptEnded)
        /// ``RetryPolicy`` sends the request again, after a delay.
        public static let retryScheduled = Self(.retryScheduled)
        /// `.coalescing()` makes the call wait for the response to an equal request under way.
        public static let coalesced = Self(.coalesced)
        /// The task has ended: the response was validated and serialized, or there is an error. It is the last event of
        /// a task, and comes before the task's handlers run.
        public static let completed = Self(.completed)
        /// A WebSocket's connection is open.
        public static let webSocketOpened = Self(.webSocketOpened)
        /// A WebSocket has sent a message. While 10,000 events wait for a slow observer, further messages are not
        /// reported.
        public static let webSocketSent = Self(.webSocketSent)
        /// A WebSocket has received a message. While 10,000 events wait for a slow observer, further messages are not
        /// reported.
        public static let webSocketReceived = Self(.webSocketReceived)
        /// A WebSocket's connection was closed, refused or lost.
        public static let webSocketClosed = Self(.webSocketClosed)

        /// A limit of one of Larkspur's interceptors has refused or ended a request, or prevents another attempt.
        /// ``CallEvent/limit`` names it. If it ends an attempt, the event comes before
        /// `attemptEnded`.
        public static let limitReached = Self(.limitReached)
        /// A ``SharedStore`` has failed or was too slow. ``CallEvent/reason`` has the store and the error, and what is
        /// done without it.
        public static let sharedStoreFailed = Self(.sharedStoreFailed)

        /// All kinds of this version, in the order of a call.
        public static let allCases = Name.allCases.map(Self.init)

        /// The name of the kind, such as `retryScheduled`.
        public var description: String {
            // Reflection is not used, because a program may be built without the names that it needs.
            switch name {
            case .created: "created"
            case .resumed: "resumed"
            case .suspended: "suspended"
            case .cancelled: "cancelled"
            case .attemptStarted: "attemptStarted"
            case .waitingForConnection: "waitingForConnection"
            case .redirected: "redirected"
            case .challenged: "challenged"
            case .interimResponse: "interimResponse"
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
            case .limitReached: "limitReached"
            case .sharedStoreFailed: "sharedStoreFailed"
            }
        }

        var bit: UInt32 { 1 << name.rawValue }
    }
}
