#if canImport(FoundationNetworking)
/// The `URLProtocol` classes of a configuration that are the caller's own.
struct ProtocolClasses: @unchecked Sendable {
    // Safe: classes are constants.
    private let classes: [URLProtocol.Type]
    /// The caller's classes that precede the superclass's own classes for http and https.
    private let classesBeforeHTTP: [URLProtocol.Type]

    init(_ classes: [AnyClass]) {
        self.classes = Self.own(classes)
        classesBeforeHTTP = Self.own(Array(classes.prefix { !Self.isBuiltIn($0) }))
    }

    /// Returns the classes that are not FoundationNetworking's.
    static func own(_ classes: [AnyClass]) -> [URLProtocol.Type] {
        classes.filter { !isBuiltIn($0) }.compactMap { $0 as? URLProtocol.Type }
    }

    // By name: the default configuration has not all of them, and those of a session that has been made may have more.
    private static func isBuiltIn(_ candidate: AnyClass) -> Bool {
        String(reflecting: candidate).hasPrefix("FoundationNetworking.")
    }

    var isEmpty: Bool { classes.isEmpty }

    /// Whether one of the classes loads a request of a scheme that the engine does not support.
    func load(_ request: URLRequest) -> Bool { classes.contains { $0.canInit(with: request) } }

    /// Returns the class that loads a request of a task, if any does.
    func `class`(for request: URLRequest, of task: URLSessionTask) -> URLProtocol.Type? {
        let scheme = request.url?.scheme?.lowercased()
        let candidates = scheme == "http" || scheme == "https" ? classesBeforeHTTP : classes
        // The method that takes a task asks about its current request unless it is overridden.
        return candidates.first { $0.canInit(with: task) }
    }
}
#endif
