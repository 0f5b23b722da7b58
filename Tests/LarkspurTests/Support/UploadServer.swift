import Foundation
import LarkspurTesting
import Synchronization

/// A server of resumable uploads, by tus or by the draft of the IETF, that can be made to fail.
///
/// Uploads are created at `/files`; their resources are `/uploads/1` and so on.
final class UploadServer: Sendable {
    enum Dialect: Sendable, CaseIterable {
        case tus, ietf
    }

    struct Upload: Sendable {
        var content = Data()
        var length: Int?
        var isComplete = false
        var creation: LoopbackServer.Request
    }

    /// Replaces the handling of one request.
    typealias Turn = @Sendable (inout Upload, LoopbackServer.Request) -> LoopbackServer.Response

    private struct State {
        var uploads: [String: Upload] = [:]
        var count = 0
        var turns: [(method: String, turn: Turn)] = []
        var refusals: [LoopbackServer.Response] = []
        var location: (@Sendable (String) -> String) = { "/uploads/\($0)" }
        var limits: String?
    }

    let dialect: Dialect
    let server: LoopbackServer
    private let state = Mutex(State())

    init(_ dialect: Dialect) throws {
        self.dialect = dialect
        server = try LoopbackServer()
        server.route("/files") { [weak self] in self?.create($0) ?? .status(503) }
        server.route("/uploads/{id}") { [weak self] in self?.answer($0) ?? .status(503) }
    }

    // MARK: Settings and results

    /// The content of the last upload.
    var content: Data? { state.withLock { $0.uploads["\($0.count)"]?.content } }
    var isComplete: Bool { state.withLock { $0.uploads["\($0.count)"]?.isComplete == true } }
    var uploads: [String] { state.withLock { $0.uploads.keys.sorted() } }
    /// The methods of all requests.
    var methods: [String] { server.requests.map(\.method) }

    /// Has the next requests of a method answered by other code, one after the other.
    func next(_ method: String, _ turns: Turn...) {
        state.withLock { $0.turns += turns.map { (method, $0) } }
    }

    /// Has the next creations answered in another way.
    func refuseCreation(_ responses: LoopbackServer.Response...) { state.withLock { $0.refusals += responses } }

    func setLocation(_ location: @escaping @Sendable (String) -> String) { state.withLock { $0.location = location } }

    func setLimits(_ limits: String) { state.withLock { $0.limits = limits } }

    func removeUploads() { state.withLock { $0.uploads = [:] } }

    // MARK: Turns

    /// Stores some of the content, and ends the connection without a response.
    static func cut(after count: Int) -> Turn {
        { upload, request in
            upload.content += request.body.prefix(count)
            return .raw([], ending: .reset)
        }
    }

    /// Stores some of the content, and answers.
    static func answer(_ response: LoopbackServer.Response, keeping count: Int = 0) -> Turn {
        { upload, request in
            upload.content += request.body.prefix(count)
            return response
        }
    }

    // MARK: Requests

    private func create(_ request: LoopbackServer.Request) -> LoopbackServer.Response {
        state.withLock { state in
            if !state.refusals.isEmpty { return state.refusals.removeFirst() }
            guard request.method != "GET", let length = request.headers["Upload-Length"].flatMap({ Int($0) }) else {
                return .status(400)
            }
            switch dialect {
            case .tus:
                guard request.headers["Tus-Resumable"] == "1.0.0", request.body.isEmpty else { return .status(412) }
            case .ietf:
                guard request.headers["Upload-Draft-Interop-Version"] == "8" else { return .status(400) }
                if request.headers["Upload-Complete"] == "?1" { return finalResponse(request.body) }
            }
            state.count += 1
            let id = "\(state.count)"
            state.uploads[id] = Upload(length: length, creation: request)
            var response = LoopbackServer.Response.status(201).adding("Location", state.location(id))
            if dialect == .ietf { response = response.adding("Upload-Complete", "?0") }
            if let limits = state.limits { response = response.adding("Upload-Limit", limits) }
            return response
        }
    }

    private func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Response {
        state.withLock { state in
            let id = request.parameters["id"] ?? ""
            guard var upload = state.uploads[id] else { return .status(404) }
            defer { if state.uploads[id] != nil { state.uploads[id] = upload } }
            if let index = state.turns.firstIndex(where: { $0.method == request.method }) {
                return state.turns.remove(at: index).turn(&upload, request)
            }
            switch request.method {
            case "HEAD": return offsetResponse(upload)
            case "PATCH": return append(request, to: &upload)
            case "DELETE":
                state.uploads[id] = nil
                return .status(204)
            default: return .status(405)
            }
        }
    }

    func offsetResponse(_ upload: Upload) -> LoopbackServer.Response {
        let response = LoopbackServer.Response.status(dialect == .tus ? 200 : 204)
            .adding("Upload-Offset", "\(upload.content.count)")
            .adding("Upload-Length", "\(upload.length ?? 0)")
        return dialect == .tus ? response : response.adding("Upload-Complete", upload.isComplete ? "?1" : "?0")
    }

    func append(_ request: LoopbackServer.Request, to upload: inout Upload) -> LoopbackServer.Response {
        guard request.headers["Upload-Offset"] == "\(upload.content.count)" else {
            return .status(409).adding("Upload-Offset", "\(upload.content.count)")
        }
        let type = dialect == .tus ? "application/offset+octet-stream" : "application/partial-upload"
        guard request.headers["Content-Type"] == type else { return .status(415) }
        upload.content += request.body
        switch dialect {
        case .tus:
            upload.isComplete = upload.content.count == upload.length
            return .status(204).adding("Upload-Offset", "\(upload.content.count)")
        case .ietf:
            guard request.headers["Upload-Complete"] == "?1" else {
                return .status(204).adding("Upload-Complete", "?0")
            }
            upload.isComplete = true
            return finalResponse(upload.content)
        }
    }

    private func finalResponse(_ content: Data) -> LoopbackServer.Response {
        .json(#"{"received": \#(content.count)}"#).adding("Upload-Complete", "?1")
    }
}
