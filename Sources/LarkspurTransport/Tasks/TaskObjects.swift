#if canImport(FoundationNetworking)
/// The task object that users hold, and for how long the session does.
struct TaskObjects {
    private weak var object: URLSessionTask?
    /// The object, which the session retains from the first resumption to the end.
    private var retained: URLSessionTask?

    /// The object; nil if there is none, or if it was released.
    var current: URLSessionTask? { retained ?? object }

    /// Sets the object, if there is none yet.
    mutating func attach(_ object: URLSessionTask) { self.object = self.object ?? object }

    mutating func replace(with object: URLSessionTask) {
        self.object = object
        if retained != nil { retained = object }
    }

    mutating func retain() { retained = object }

    /// Retains the object no longer, and returns it.
    mutating func release() -> URLSessionTask? {
        defer { retained = nil }
        return current
    }
}
#endif
