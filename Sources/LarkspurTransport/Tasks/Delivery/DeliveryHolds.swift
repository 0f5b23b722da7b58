#if canImport(FoundationNetworking)
/// The events of tasks that wait for work outside of the loop: a delegate that learns of a response has to find its
/// cookies in the storage, for example.
///
/// A failure does not wait. It releases the events before it.
struct DeliveryHolds {
    private struct Hold {
        var count = 1
        var items: [Delivery.Item] = []
    }

    /// The holds of each task, in the order in which they end.
    private var holds: [Int: [Hold]] = [:]

    var isEmpty: Bool { holds.isEmpty }

    /// Holds back a task's events until ``release(_:)`` has been called as often as this method.
    mutating func hold(_ task: TaskCore) {
        guard let last = holds[task.identifier]?.indices.last else { return holdLater(task) }
        holds[task.identifier]?[last].count += 1
    }

    /// Holds back the task's events from now on. The work that they wait for is begun by the event before them, which
    /// may itself be held back.
    mutating func holdLater(_ task: TaskCore) { holds[task.identifier, default: []].append(Hold()) }

    /// Adds an event, and returns the events that can be delivered now.
    mutating func pass(_ event: Delivery.Event, of task: TaskCore) -> [Delivery.Item] {
        guard let last = holds[task.identifier]?.indices.last else { return [.event(task, event)] }
        holds[task.identifier]?[last].items.append(.event(task, event))
        guard case .complete(.some) = event else { return [] }
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
