#if canImport(FoundationNetworking)
import HTTPSyntax
import Synchronization

/// The loader that uses one of the caller's `URLProtocol` classes for a task, and passes the reports of the class to
/// the loop.
///
/// The class is called on a separate queue, so it may block or use sessions. Its reports may come from any thread.
/// After the class was stopped, its reports are ignored.
final class ProtocolLoader: NSObject, URLProtocolClient {
    enum Report: Sendable {
        /// No class loads the request, so the engine sends it.
        case unclaimed
        case response(URLResponse)
        case data(Data)
        case redirect(URLRequest, URLResponse)
        case challenge(URLAuthenticationChallenge)
        case finished
        case failed(any Error)
    }

    private enum State {
        case waiting
        case loading(Transferring<URLProtocol>)
        case over
    }

    private let queue = DispatchQueue(label: "larkspur.protocol")
    private let object: @Sendable () -> URLSessionTask?
    private let pass: @Sendable (ProtocolLoader, Report) -> Void
    private let request: URLRequest
    private let classes: ProtocolClasses
    private let state = Mutex(State.waiting)

    /// - Parameters:
    ///   - request: The request to load.
    ///   - classes: The caller's classes, at least one.
    ///   - object: Returns the task object for the class; nil if it was released.
    ///   - pass: Passes a report to the loop. Called on any thread.
    init(
        _ request: URLRequest,
        classes: ProtocolClasses,
        object: @escaping @Sendable () -> URLSessionTask?,
        pass: @escaping @Sendable (ProtocolLoader, Report) -> Void
    ) {
        self.request = request
        self.classes = classes
        self.object = object
        self.pass = pass
        super.init()
    }

    func start() {
        queue.async { [self] in
            guard let object = object(), let loader = classes.class(for: request, of: object) else {
                return report(.unclaimed)
            }
            let request = loader.canonicalRequest(for: self.request)
            // A class may override the initialiser for tasks. This initialiser loads the task's original request, so it
            // is used only if the request is equal to it. Foundation ignores fields and content when it compares
            // requests, so they are compared separately.
            let instance: URLProtocol
            let original = object.originalRequest
            if request == original, request.allHTTPHeaderFields ?? [:] == original?.allHTTPHeaderFields ?? [:],
                request.httpBody == original?.httpBody, request.httpBodyStream === original?.httpBodyStream
            {
                instance = loader.init(task: object, cachedResponse: nil, client: self)
            } else {
                instance = loader.init(request: request, cachedResponse: nil, client: self)
                instance.task = object
            }
            let isStarted = state.withLock { state in
                guard case .waiting = state else { return false }
                state = .loading(Transferring(instance))
                return true
            }
            if isStarted { instance.startLoading() }
        }
    }

    /// Stops the class. Later reports are ignored.
    func stop() {
        let instance = state.withLock { state -> Transferring<URLProtocol>? in
            defer { state = .over }
            guard case .loading(let instance) = state else { return nil }
            return instance
        }
        if let instance { queue.async { instance.value.stopLoading() } }
    }

    /// Runs an action on the queue on which the `URLProtocol` is called.
    func perform(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }

    private func report(_ report: Report) {
        let isOver = state.withLock { state in
            if case .over = state { return true }
            return false
        }
        if !isOver { pass(self, report) }
    }

    // MARK: Reports of the class

    func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
        report(.redirect(request, redirectResponse))
    }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
        report(.response(cachedResponse.response))
        report(.data(cachedResponse.data))
        report(.finished)
    }

    func urlProtocol(
        _ protocol: URLProtocol,
        didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        report(.response(response))
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) { report(.data(data)) }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { report(.finished) }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) { report(.failed(error)) }

    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        report(.challenge(challenge))
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
}

extension URLRequest {
    /// Adds the given fields, except for fields that the request already has.
    func adding(_ fields: [String: String]) -> URLRequest {
        var request = self
        for (name, value) in fields where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    /// Returns the request with the content of its task, in the form that `URLProtocol` classes expect. Content in
    /// memory becomes the body, as with FoundationNetworking. A file and produced content become a stream. A request
    /// never has both a body and a stream.
    func presenting(_ body: TaskBody) -> URLRequest {
        var request = self
        switch body {
        case .data(let data) where !data.isEmpty: request.httpBody = data
        case .file(let file): request.httpBodyStream = FileStream(file)
        case .produced(let produced): request.httpBodyStream = ChannelStream(produced)
        case .none, .data, .stream: break
        }
        return request
    }
}

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

    // FoundationNetworking's classes are recognized by two criteria: they are in the default configuration, or their
    // names show it. The first criterion is not enough, because the default configuration lacks some of these classes,
    // and a session's configuration may have additional classes. The name is checked last, because reflection costs 0.1
    // ms for each class when a process starts.
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
        // If a class overrides only the method with a request parameter, that method is called with the task's current
        // request.
        return candidates.first { $0.canInit(with: task) }
    }
}
#endif
