#if canImport(FoundationNetworking)
/// The task object of a task, which programs see, and its retention by the session.
struct TaskObjects {
    private weak var object: URLSessionTask?
    /// The object while the session retains it, usually from the first resumption to the end; nil before and after.
    private var retained: URLSessionTask?

    /// The object; nil if there is none, or if it was released.
    var current: URLSessionTask? { retained ?? object }

    /// Sets the object if there is none.
    mutating func attach(_ object: URLSessionTask) { self.object = self.object ?? object }

    mutating func replace(with object: URLSessionTask) {
        self.object = object
        if retained != nil { retained = object }
    }

    mutating func retain() { retained = object }

    /// Ends the retention of the object, and returns the object.
    mutating func release() -> URLSessionTask? {
        defer { retained = nil }
        return current
    }
}
#endif
