import Synchronization

/// Something that an interceptor of Larkspur does, for the observers of the call.
enum CallNote: Sendable {
    /// Another attempt follows after a delay.
    case retry(after: Duration, reason: String)
    /// The call waits for the response to an equal request.
    case coalesced
}

/// The identifier of a call, which is made when it is first asked for.
final class CallIdentity: Sendable {
    private let made = Mutex<UUID?>(nil)

    var id: UUID {
        made.withLock { made in
            if let made { return made }
            let id = UUID()
            made = id
            return id
        }
    }
}
