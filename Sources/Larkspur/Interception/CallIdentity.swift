import Synchronization

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
