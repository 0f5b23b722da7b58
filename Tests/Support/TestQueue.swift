package import Dispatch

/// Dispatch queues that know their names, so that a test can check on which queue it was called.
package enum TestQueue {
    private static let key = DispatchSpecificKey<String>()

    package static func make(_ name: String, attributes: DispatchQueue.Attributes = []) -> DispatchQueue {
        let queue = DispatchQueue(label: name, attributes: attributes)
        queue.setSpecific(key: key, value: name)
        return queue
    }

    /// The name of the test queue that the caller runs on.
    package static var current: String? { DispatchQueue.getSpecific(key: key) }
}
