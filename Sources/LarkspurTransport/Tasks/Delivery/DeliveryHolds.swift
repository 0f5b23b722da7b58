#if canImport(FoundationNetworking)
/// The events that are delayed until work outside of the loop has ended. For example, when a delegate receives a
/// response, the cookies of the response must already be in the storage.
///
/// The failure of a task is not delayed. When a task fails, its failure and all of its delayed events are delivered at
/// once.
struct DeliveryHolds {
    private struct Hold {
        var count = 1
        var items: [Delivery.Item] = []
    }

    /// The holds of each task, in order. The first one ends first.
    private var holds: [Int: [Hold]] = [:]

    var isEmpty: Bool { holds.isEmpty }

    /// Delays a task's events until ``release(_:)`` has been called as often as this method.
    mutating func hold(_ task: TaskCore) {
        guard let last = holds[task.identifier]?.indices.last else { return holdLater(task) }
        holds[task.identifier]?[last].count += 1
    }

    /// Delays a task's events from now on. They wait for work that begins when the previous event is delivered. That
    /// event may be delayed too.
    mutating func holdLater(_ task: TaskCore) { holds[task.identifier, default: []].append(Hold()) }

    /// Adds an event. Returns the events that can be delivered now.
    mutating func pass(_ event: Delivery.Event, of task: TaskCore) -> [Delivery.Item] {
        guard let last = holds[task.identifier]?.indices.last else { return [.event(task, event)] }
        holds[task.identifier]?[last].items.append(.event(task, event))
        guard case .end(.some) = event else { return [] }
        return holds.removeValue(forKey: task.identifier)?.flatMap(\.items) ?? []
    }

    /// Records that a part of the task's work has ended, and returns the events that can be delivered now.
    mutating func release(_ task: TaskCore) -> [Delivery.Item] {
        guard let hold = holds[task.identifier]?.first else { return [] }
        if hold.count > 1 {
            holds[task.identifier]?[0].count -= 1
            return []
        }
        holds[task.identifier]?.removeFirst()
        if holds[task.identifier]?.isEmpty == true { holds[task.identifier] = nil }
        return hold.items
    }
}
#endif
