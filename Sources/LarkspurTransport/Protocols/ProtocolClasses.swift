#if canImport(FoundationNetworking)
import HTTPSyntax

/// The caller's own `URLProtocol` classes in a configuration.
struct ProtocolClasses: @unchecked Sendable {
    // Safe: classes are constants.
    private let classes: [URLProtocol.Type]
    /// The caller's classes that come before FoundationNetworking's first class in the configuration. Only these
    /// classes can load requests for http and https.
    private let classesBeforeHTTP: [URLProtocol.Type]

    init(_ classes: [AnyClass]) {
        self.classes = Self.own(classes)
        classesBeforeHTTP = classes.prefix { !Self.isBuiltIn($0) }.compactMap { $0 as? URLProtocol.Type }
    }

    /// Returns the classes that are not FoundationNetworking's.
    static func own(_ classes: [AnyClass]) -> [URLProtocol.Type] {
        classes.filter { !isBuiltIn($0) }.compactMap { $0 as? URLProtocol.Type }
    }

    // Other classes than the default configuration's are recognized by name, because no list is complete: the default
    // configuration lacks some of FoundationNetworking's classes, and a session's configuration may have additional
    // ones. The name is not asked for first, because reflection costs 0.1 ms for each class when a process starts.
    private static func isBuiltIn(_ candidate: AnyClass) -> Bool {
        defaults.contains { $0 == candidate } || String(reflecting: candidate).begins(with: "FoundationNetworking.")
    }

    private static let defaults = URLSessionConfiguration.default.protocolClasses ?? []

    var isEmpty: Bool { classes.isEmpty }

    /// Whether one of the classes loads a request with a scheme that the engine does not support.
    func load(_ request: URLRequest) -> Bool { classes.contains { $0.canInit(with: request) } }

    /// Returns the class that loads the request of a task; nil if there is none.
    func `class`(for request: URLRequest, of task: URLSessionTask) -> URLProtocol.Type? {
        let scheme = request.url?.scheme?.inLowercase
        let candidates = scheme == "http" || scheme == "https" ? classesBeforeHTTP : classes
        // If a class overrides only the method that takes a request, that method is called with the task's current
        // request.
        return candidates.first { $0.canInit(with: task) }
    }
}
#endif
