#if canImport(FoundationNetworking)
public import Larkspur
import Synchronization

/// A file with requests and responses that were recorded once and are replayed in tests.
///
///     let cassette = try Cassette(file, mode: .automatic)
///     let manager = SessionManager(baseURL: baseURL, transport: cassette.transport)
///     let users = try await manager.get("users").value(as: [User].self)
///     try cassette.save()
///
/// A cassette is a transport and not an interceptor. An interceptor sees only the end of a call. A transport also sees
/// the redirects, the content of a stream, and the file of a download. Requests are recorded after the interceptors, so
/// each attempt of a retry is recorded. Each redirect is a separate interaction. During recording, challenges are
/// handled, and the response after them is recorded. A replay needs no credentials.
///
/// The file is JSON that people can review: one interaction after the other, with contents as JSON or text if possible.
/// `Redaction` replaces credentials, cookies and other secrets in fields, URLs and contents before anything is stored.
/// Requests are compared after this replacement. JSON is replayed on one line, with the same values and order of
/// members. Failed transfers are not recorded. The whole content of a response is in memory, even if it is a gigabyte.
///
/// Every method may be called on any thread, and any number of requests may run at once. The class is available on
/// Linux.
public final class Cassette: Sendable {
    /// The use of the file.
    public enum Mode: Sendable, Hashable {
        /// Requests are sent and recorded. An earlier recording is replaced when the cassette is saved.
        case record
        /// Responses come from the file, and nothing is sent.
        case replay
        /// Responses come from the file if it has them. Otherwise requests are sent and recorded.
        case automatic
    }

    private struct State {
        var records: CassetteRecords
        var hasChanges: Bool
        /// The fingerprint of the file when it was last read or written; nil if there was no file.
        var fingerprint: FileFingerprint?
    }

    /// The file.
    public let file: URL
    /// The use of the file.
    public let mode: Mode
    private let redaction: CassetteRedaction
    private let base: Transport
    private let state: Mutex<State>
    private let saving = Mutex(())

    /// Reads a cassette.
    /// - Parameters:
    ///   - file: The file. For recording, it need not exist.
    ///   - mode: The use of the file. Default: `automatic`.
    ///   - matching: The rule by which requests are found. Default: method, URL and content.
    ///   - redaction: The rule by which secrets are hidden. Default: `Redaction.standard`.
    ///   - transport: The transport that sends requests while recording. Default: the best available one.
    /// - Throws: In every mode, ``CassetteError`` if the file exists but cannot be read or is not a cassette. In the
    ///   mode `replay`, also if the file does not exist.
    public init(
        _ file: URL,
        mode: Mode = .automatic,
        matching: CassetteMatching = .default,
        redaction: Redaction = .standard,
        transport: Transport = .automatic
    ) throws(CassetteError) {
        self.file = file
        self.mode = mode
        self.redaction = CassetteRedaction(redaction: redaction)
        base = transport
        let content = try Self.content(of: file)
        if content == nil, mode == .replay { throw CassetteError("The cassette \(file.path) does not exist.") }
        let recorded = try content.map { content throws(CassetteError) in
            try CassetteFile.read(content, name: file.path)
        }
        let records = CassetteRecords(mode == .record ? [] : recorded ?? [], matching)
        let fingerprint = content.map { FileFingerprint($0) }
        state = Mutex(State(records: records, hasChanges: mode == .record, fingerprint: fingerprint))
    }

    deinit {
        do {
            try save()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
        }
    }

    private static func content(of file: URL) throws(CassetteError) -> Data? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        do {
            return try Data(contentsOf: file)
        } catch {
            throw CassetteError("The cassette \(file.path) cannot be read: \(error.localizedDescription)")
        }
    }

    /// The number of interactions, including new ones.
    public var interactionCount: Int { state.withLock { $0.records.interactions.count } }

    /// The transport for a session manager.
    public var transport: Transport { transport(on: base) }

    /// - Parameter base: The transport that sends requests.
    private func transport(on base: Transport) -> Transport {
        var transport: Transport
        if base.makeSecureSession == nil {
            transport = .custom { [self] in session(base, .default, $0, $1, $2) }
        } else {
            transport = .custom(enforcingSecurityPolicy: { [self] in session(base, $0, $1, $2, $3) })
        }
        if let limited = base.limited { transport.limited = { [self] in self.transport(on: limited($0)) } }
        return transport
    }

    /// Returns a session that records or replays, for code that uses a `URLSession`.
    /// - Parameters:
    ///   - configuration: The configuration of the session that sends requests. Default: `.default`.
    ///   - delegate: The delegate. It is retained until the session has become invalid. Default: nil, for none.
    ///   - delegateQueue: The queue on which the delegate and completion handlers are called. It must be serial.
    ///     Default: a queue that the session creates.
    public func session(
        configuration: URLSessionConfiguration = .default,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil
    ) -> URLSession {
        session(base, .default, configuration, delegate, delegateQueue)
    }

    private func session(
        _ base: Transport,
        _ policy: SecurityPolicy,
        _ configuration: URLSessionConfiguration,
        _ delegate: (any URLSessionDelegate)?,
        _ queue: OperationQueue?
    ) -> URLSession {
        let recorder = mode == .replay ? nil : CassetteRecorder(base, policy, configuration)
        return StubURLSession(
            configuration: configuration,
            delegate: delegate,
            delegateQueue: queue,
            source: CassetteReplies(cassette: self, recorder: recorder)
        )
    }

    // MARK: Interactions

    /// Returns the steps of the recorded reply to a request; nil if the request has to be sent.
    /// - Throws: ``LarkspurError`` with the code `unsupported` if there is no reply and nothing may be sent.
    func steps(for request: URLRequest) throws(LarkspurError) -> [StubTaskCore.Step]? {
        guard mode != .record else { return nil }
        let described = redaction.request(request)
        let (response, sentence) = state.withLock { state in
            let response = state.records.next(for: described)
            let isUnknown = response == nil && mode == .replay
            return (response, isUnknown ? state.records.sentence(for: described, file: file.path) : nil)
        }
        if let sentence { throw LarkspurError(.unsupported, sentence) }
        guard let response else { return nil }
        let content = response.body.content
        return [.response(status: response.status, headers: response.fields(contentLength: content.count))]
            + (content.isEmpty ? [] : [.chunk(content)]) + [.end(nil)]
    }

    /// Records a request and its response.
    func record(_ request: URLRequest, _ response: HTTPURLResponse, _ content: Data) {
        let interaction = Interaction(
            request: redaction.request(request),
            response: redaction.response(response, content)
        )
        state.withLock { state in
            state.records.record(interaction)
            state.hasChanges = true
        }
    }

    /// Writes the file if there are new recordings, and creates its folder if necessary. The file is replaced as a
    /// whole, so that no reader sees an incomplete file. Only the file's owner may read it. The cassette is also saved
    /// when its last reference is released.
    /// - Throws: ``CassetteError`` if the file cannot be written, or has changed since it was read.
    public func save() throws(CassetteError) {
        do {
            // Saves do not overlap. Otherwise a save could mistake the file of an earlier save for the file of another
            // program.
            try saving.withLock { _ in try write() }
        } catch let error as CassetteError {
            throw error
        } catch {
            throw CassetteError("The cassette \(file.path) cannot be written: \(error.localizedDescription)")
        }
    }

    private func write() throws {
        let (interactions, known) = state.withLock { state in
            (state.hasChanges ? state.records.interactions : nil, state.fingerprint)
        }
        guard let interactions else { return }
        guard try FileFingerprint(of: file) == known else {
            throw CassetteError(
                "The cassette \(file.path) was changed by others since it was read, and is not replaced."
            )
        }
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        var fingerprint = FileFingerprint()
        try PrivateFile.write(to: file) { handle in
            try CassetteFile.write(interactions) { bytes in
                fingerprint.add(bytes)
                try handle.write(contentsOf: bytes)
            }
        }
        state.withLock { [fingerprint] state in
            state.fingerprint = fingerprint
            state.hasChanges = state.records.interactions.count != interactions.count
        }
    }
}

/// Runs a closure with a cassette, and saves the cassette at the end, even if the closure throws an error.
///
///     try await withCassette("users", mode: .automatic) { cassette in
///         let manager = SessionManager(baseURL: baseURL, transport: cassette.transport)
///         let users = try await manager.get("users").value(as: [User].self)
///     }
///
/// - Parameters:
///   - name: The name of the file, without `.json`.
///   - folder: The folder of the file. Default: nil, for the folder `Cassettes` beside the source file of the call.
///   - mode: The use of the file. Default: `automatic`.
///   - matching: The rule by which requests are found. Default: method, URL and content.
///   - redaction: The rule by which secrets are hidden. Default: `Redaction.standard`.
///   - transport: The transport that sends requests while recording. Default: the best available one.
///   - sourceFile: The source file of the call.
///   - isolation: The actor on which the closure runs. Default: the caller's.
///   - body: The closure.
/// - Returns: The value of the closure.
/// - Throws: The error of the closure, or ``CassetteError``.
public func withCassette<Value>(
    _ name: String,
    in folder: URL? = nil,
    mode: Cassette.Mode = .automatic,
    matching: CassetteMatching = .default,
    redaction: Redaction = .standard,
    transport: Transport = .automatic,
    sourceFile: String = #filePath,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Cassette) async throws -> Value
) async throws -> Value {
    let folder =
        folder ?? URL(fileURLWithPath: sourceFile).deletingLastPathComponent().appendingPathComponent("Cassettes")
    let cassette = try Cassette(
        folder.appendingPathComponent(name + ".json"),
        mode: mode,
        matching: matching,
        redaction: redaction,
        transport: transport
    )
    let value: Value
    do {
        value = try await body(cassette)
    } catch {
        // The error of the closure is reported, not an error of the save.
        try? cassette.save()
        throw error
    }
    try cassette.save()
    return value
}

/// The source of the replies of a cassette's session.
private struct CassetteReplies: ReplySource {
    let cassette: Cassette
    /// The part that sends requests; nil if nothing is sent.
    let recorder: CassetteRecorder?

    var clock: any Clock<Duration> { ContinuousClock() }
    var readsContent: Bool { true }
    var followsRedirects: Bool { true }

    func reply(to request: URLRequest, _ exchange: StubExchange) {
        do {
            if let steps = try cassette.steps(for: request) {
                exchange.add(steps)
            } else {
                recorder?.send(request, exchange, cassette)
            }
        } catch {
            exchange.add([.end(error)])
        }
    }
}
#endif
