#if canImport(FoundationNetworking)

/// The events of tasks that wait for work outside the loop.
///
/// A failure does not wait, and releases the events before it.
struct DeliveryHolds {
    private struct Hold {
        var count = 0
        var items: [Delivery.Item] = []
    }

    private var holds: [Int: Hold] = [:]

    var isEmpty: Bool { holds.isEmpty }

    /// Holds back a task's events until ``release(_:)`` has been called as often as this method.
    mutating func hold(_ task: TaskCore) { holds[task.identifier, default: Hold()].count += 1 }

    /// Adds an event, and returns the events that can be delivered now.
    mutating func pass(_ event: Delivery.Event, of task: TaskCore) -> [Delivery.Item] {
        guard holds[task.identifier] != nil else { return [.event(task, event)] }
        holds[task.identifier]?.items.append(.event(task, event))
        guard case .complete(.some) = event else { return [] }
        return holds.removeValue(forKey: task.identifier)?.items ?? []
    }

    /// Notes that one of the tasks' waits has ended, and returns the events that can be delivered now.
    mutating func release(_ task: TaskCore) -> [Delivery.Item] {
        guard let hold = holds[task.identifier] else { return [] }
        if hold.count > 1 {
            holds[task.identifier]?.count -= 1
            return []
        }
        holds[task.identifier] = nil
        return hold.items
    }
}

#endif
