#if canImport(FoundationNetworking)
/// The `URLProtocol` classes of a configuration that are the caller's own.
struct ProtocolClasses: @unchecked Sendable {
    // Safe: classes are constants.
    private let classes: [URLProtocol.Type]
    /// The caller's classes that precede the superclass's own classes for http and https.
    private let classesBeforeHTTP: [URLProtocol.Type]

    init(_ classes: [AnyClass]) {
        let builtIn = Set((URLSessionConfiguration.default.protocolClasses ?? []).map(ObjectIdentifier.init))
        let isOwn = { (candidate: AnyClass) in !builtIn.contains(ObjectIdentifier(candidate)) }
        self.classes = classes.filter(isOwn).compactMap { $0 as? URLProtocol.Type }
        classesBeforeHTTP = classes.prefix(while: isOwn).compactMap { $0 as? URLProtocol.Type }
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
