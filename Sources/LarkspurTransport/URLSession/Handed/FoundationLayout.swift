#if canImport(FoundationNetworking)
/// The parts of FoundationNetworking's sessions and tasks that are not in its API and are needed to perform its tasks.
///
/// All of them are read and written on the work queue of the session or the task, where FoundationNetworking does so
/// itself.
struct FoundationLayout: Sendable {
    private let sessionQueue: StoredProperty
    private let taskQueue: StoredProperty
    private let registry: StoredProperty
    private let completesOnWorkQueue: StoredProperty
    private let knownBody: StoredProperty
    private let protocolProperties: StoredProperty
    /// The session of a task; nil if it was not found, so that no WebSocket task is made.
    private let taskSession: StoredProperty?

    /// The layout of the loaded FoundationNetworking; nil if it is not as expected.
    static let current = FoundationLayout()

    private init?() {
        guard let sessionQueue = StoredProperty("workQueue", of: URLSession.self, as: DispatchQueue.self),
            let taskQueue = StoredProperty("workQueue", of: URLSessionTask.self, as: DispatchQueue.self),
            let registry = StoredProperty("taskRegistry", of: URLSession.self),
            let inline = StoredProperty("_callCompletionHandlerInline", of: URLSessionTask.self, as: Bool.self),
            let knownBody = StoredProperty("knownBody", of: URLSessionTask.self),
            let properties = StoredProperty("properties", of: URLProtocol.self)
        else { return nil }
        self.sessionQueue = sessionQueue
        self.taskQueue = taskQueue
        self.registry = registry
        completesOnWorkQueue = inline
        self.knownBody = knownBody
        protocolProperties = properties
        taskSession = StoredProperty("session", of: URLSessionTask.self)
    }

    func workQueue(of session: URLSession) -> DispatchQueue? { sessionQueue.value(in: session, as: DispatchQueue.self) }

    func workQueue(of task: URLSessionTask) -> DispatchQueue? { taskQueue.value(in: task, as: DispatchQueue.self) }

    /// Makes FoundationNetworking call the completion handler of an async method on the delegate queue.
    ///
    /// On the work queue the handler would wait for the lock of a Swift task, whose cancellation may hold that lock and
    /// wait for the work queue.
    func completeOnDelegateQueue(_ task: URLSessionTask) { completesOnWorkQueue.set(false, in: task) }

    /// Returns the content of an upload task.
    func body(of task: URLSessionTask) -> RequestBody {
        switch content(of: knownBody.value(in: task)).flatMap(content) {
        // Empty data has no pointer, and Dispatch traps without one.
        case let data as DispatchData:
            .data(data.isEmpty ? Data() : data.withUnsafeBytes { Data(bytes: $0, count: data.count) })
        case let file as URL: .file(file)
        case let stream as InputStream: .stream(Transferring(stream))
        default: .none
        }
    }

    /// Returns the delegate that was passed to the async method which created a task.
    func delegate(of task: URLSessionTask, in session: URLSession) -> (any URLSessionTaskDelegate)? {
        let registry = registry.value(in: session) as AnyObject
        let behaviours = StoredProperty("behaviours", of: Swift.type(of: registry))?.value(in: registry)
        guard let behaviour = (behaviours as? any NumberedTable)?.entry(task.taskIdentifier),
            let content = content(of: behaviour)
        else { return nil }
        return Mirror(reflecting: content).children.lazy.compactMap { $0.value as? any URLSessionTaskDelegate }.first
    }

    /// Sets the session of a task that no session has made.
    /// - Returns: Whether it was set: false if the property is not as expected.
    func setSession(_ session: URLSession, of task: URLSessionTask) -> Bool {
        taskSession?.setCast(of: session, in: task) ?? false
    }

    /// Returns the number of the superclass's tasks that have not ended.
    func taskCount(of session: URLSession) -> Int {
        let registry = registry.value(in: session) as AnyObject
        let tasks = StoredProperty("tasks", of: Swift.type(of: registry))?.value(in: registry)
        return (tasks as? any NumberedTable)?.count ?? 0
    }

    /// Sets the location of a download's file.
    func setFile(_ file: URL, of loader: URLProtocol) -> Bool {
        protocolProperties.insert(file, forCase: "temporaryFileURL", in: loader)
    }

    /// Returns the content of an optional or of an enumeration's case.
    private func content(of value: Any) -> Any? { Mirror(reflecting: value).children.first?.value }
}

private protocol NumberedTable {
    var count: Int { get }
    func entry(_ number: Int) -> Any?
}

extension Dictionary: NumberedTable where Key == Int {
    fileprivate func entry(_ number: Int) -> Any? { self[number] }
}
#endif

#if canImport(FoundationNetworking)
@_spi(Reflection) internal import Swift

/// A stored property of another module's class, found by its name through reflection.
struct StoredProperty: @unchecked Sendable {
    // Safe: both are constants. Objects are read and written where their own module does so.
    private let offset: Int
    private let type: Any.Type

    /// Finds a property; nil if the class has none with this name.
    init?(_ name: String, of owner: AnyClass) {
        var found: (offset: Int, type: Any.Type)?
        // The option declares that the type is a class.
        _ = _forEachField(of: owner, options: _EachFieldOptions(rawValue: 1)) { candidate, offset, type, _ in
            guard String(cString: candidate) == name else { return true }
            found = (offset, type)
            return false
        }
        guard let found else { return nil }
        offset = found.offset
        type = found.type
    }

    /// Finds a property; nil if the class has none with this name, or one of another type.
    init?<Value>(_ name: String, of owner: AnyClass, as type: Value.Type) {
        self.init(name, of: owner)
        guard self.type == type else { return nil }
    }

    /// Reads the value, of any type.
    func value(in object: AnyObject) -> Any {
        func load<Value>(_ type: Value.Type) -> Any { place(in: object).assumingMemoryBound(to: type).pointee }
        return _openExistential(type, do: load)
    }

    /// Reads the value; nil if the property is of another type.
    func value<Value>(in object: AnyObject, as type: Value.Type) -> Value? {
        self.type == type ? place(in: object).assumingMemoryBound(to: type).pointee : nil
    }

    /// Writes the value; has no effect if the property is of another type.
    func set<Value>(_ value: Value, in object: AnyObject) {
        if type == Value.self { place(in: object).assumingMemoryBound(to: Value.self).pointee = value }
    }

    /// Writes an object as a value of the property's type, such as a protocol of the other module.
    /// - Returns: Whether the object is such a value.
    func setCast(of value: AnyObject, in object: AnyObject) -> Bool {
        func store<Value>(_ type: Value.Type) -> Bool {
            guard let value = value as? Value, !isNil(value) else { return false }
            place(in: object).assumingMemoryBound(to: type).pointee = value
            return true
        }
        return _openExistential(type, do: store)
    }

    private func isNil(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional && mirror.children.isEmpty
    }

    /// Adds a value to a dictionary whose keys are the cases of an enumeration of strings.
    /// - Returns: Whether the value was added: false if the property is of another type, or there is no such case.
    func insert(_ value: Any, forCase name: String, in object: AnyObject) -> Bool {
        (type as? any CaseTable.Type)?.insert(value, forCase: name, at: place(in: object)) ?? false
    }

    private func place(in object: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque().advanced(by: offset)
    }
}

private protocol CaseTable {
    static func insert(_ value: Any, forCase name: String, at place: UnsafeMutableRawPointer) -> Bool
}

extension Dictionary: CaseTable where Key: RawRepresentable, Key.RawValue == String, Value == Any {
    fileprivate static func insert(_ value: Any, forCase name: String, at place: UnsafeMutableRawPointer) -> Bool {
        guard let key = Key(rawValue: name) else { return false }
        place.assumingMemoryBound(to: Self.self).pointee[key] = value
        return true
    }
}
#endif

#if canImport(FoundationNetworking)
/// The queue on which the superclass of a ``CurlURLSession`` works.
enum SuperclassQueue {
    private static let key = DispatchSpecificKey<SessionCore>()

    /// The session whose superclass's queue is the current queue; nil elsewhere.
    static var session: SessionCore? { DispatchQueue.getSpecific(key: key) }

    /// Marks the queue of a session's superclass; the mark does not retain the session.
    static func mark(_ queue: DispatchQueue, with core: SessionCore) { queue.setSpecific(key: key, value: core) }
}
#endif
