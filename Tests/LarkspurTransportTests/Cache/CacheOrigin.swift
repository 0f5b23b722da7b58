#if canImport(FoundationNetworking)
import HTTPSyntax
import LarkspurTesting
import LarkspurTransport
import Synchronization
import TestSupport

/// A server whose responses runs determine, and a session with a cache.
final class CacheModelLab: Sendable {
    let session: CurlURLSession
    let cache = HTTPCache(memoryCapacity: 256 << 20)
    private let server: LoopbackServer
    private let origins = Mutex<[String: CacheOrigin]>([:])

    init() throws {
        server = try LoopbackServer()
        let cache = cache
        session = CurlURLSession(configuration: .testing { $0.urlCache = cache })
        server.route("/{run}/{resource}") { [weak self] request in
            let origin = self?.origins.withLock { $0[request.parameters["run"] ?? ""] }
            guard let origin, let resource = Int(request.parameters["resource"] ?? "") else { return .status(404) }
            return origin.answer(request, resource)
        }
    }

    func register(_ origin: CacheOrigin, for run: Int) { origins.withLock { $0["\(run)"] = origin } }

    func url(_ run: Int, _ resource: Int) -> URL { server.url("/\(run)/\(resource)") }
}

/// The server's side of a run: what it answers by a plan, and what it was asked.
final class CacheOrigin: Sendable {
    /// A request that has reached the server, and its response.
    struct Contact: Sendable {
        let resource: Int
        let method: String
        /// The validators that the request names.
        let tag: String?
        let modified: Date?
        let status: Int
        /// The number of the content; nil for responses without one.
        let version: Int?
        let fields: CacheModel.Fields
        let time: Date

        var isConditional: Bool { tag != nil || modified != nil }
    }

    private struct Version {
        let resource: Int
        let number: Int
        let fields: CacheModel.Fields
    }

    private struct State {
        var plan = CacheSequence.Plan()
        /// The time that the clock has moved by itself.
        var offset: TimeInterval = 0
        var versions: [Version] = []
        var contacts: [Contact] = []
        /// The number of contents and of updates so far.
        var count = 0
    }

    private let run: Int
    private let state = Mutex(State())

    init(_ run: Int) { self.run = run }

    /// The time of the clock that is moved.
    var now: Date { state.withLock { Date().addingTimeInterval($0.offset) } }

    func advance(by seconds: Int) { state.withLock { $0.offset += TimeInterval(seconds) } }

    func expect(_ plan: CacheSequence.Plan) {
        state.withLock { state in
            state.plan = plan
            state.contacts = []
        }
    }

    var contacts: [Contact] { state.withLock { $0.contacts } }

    /// Whether the response to the last unsafe request names the other URL.
    var namesOther: Bool { state.withLock { $0.plan.namesOther } }

    // MARK: Responses

    func answer(_ request: LoopbackServer.Request, _ resource: Int) -> LoopbackServer.Response {
        state.withLock { state in
            let offset = state.offset
            let plan = state.plan
            let now = Date().addingTimeInterval(offset)
            let tag = request.headers["If-None-Match"]
            let modified = request.headers["If-Modified-Since"].flatMap { HTTPDate.parse($0) }?
                .addingTimeInterval(offset)
            state.count += 1
            let number = state.count
            let known = state.versions.last { version in
                guard version.resource == resource else { return false }
                if let tag { return version.fields.tag == tag }
                guard let modified, let own = version.fields.modified else { return false }
                return abs(own.timeIntervalSince(modified)) < 2
            }
            var fields = Self.fields(of: plan, number: number, at: now)
            var response: LoopbackServer.Response
            var version: Int?
            if (tag != nil || modified != nil) && (plan.hasOtherTag || plan.isUnchanged && known != nil) {
                fields.tag = plan.hasOtherTag ? "\"other\"" : known?.fields.tag
                fields.modified = fields.tag == nil ? known?.fields.modified : nil
                fields.update = number
                response = .status(304)
            } else if request.method == "HEAD" {
                let same = plan.isUnchanged ? state.versions.last { $0.resource == resource } : nil
                if let same { (fields.tag, fields.modified) = (same.fields.tag, same.fields.modified) }
                fields.update = number
                response = .text(Self.content(same?.number ?? number), status: plan.status)
            } else {
                version = number
                response = .text(Self.content(number), status: plan.status)
                response.headers.append("X-Version", "\(number)")
                if request.method == "GET" {
                    state.versions.append(Version(resource: resource, number: number, fields: fields))
                } else if plan.namesOther {
                    response.headers.append("Content-Location", "/\(run)/\(1 - resource)")
                }
            }
            Self.write(fields, to: &response, offset: offset)
            state.contacts.append(
                Contact(
                    resource: resource,
                    method: request.method,
                    tag: tag,
                    modified: modified,
                    status: response.status,
                    version: version,
                    fields: fields,
                    time: now
                )
            )
            return response
        }
    }

    /// Contents of one length, so that a HEAD does not tell them apart.
    private static func content(_ number: Int) -> String { "content \(1000 + number)" }

    private static func fields(of plan: CacheSequence.Plan, number: Int, at now: Date) -> CacheModel.Fields {
        var fields = CacheModel.Fields()
        // The fields have whole seconds.
        let date = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
            .addingTimeInterval(TimeInterval(-plan.delay))
        fields.control = plan.control
        fields.date = date
        fields.age = plan.age
        fields.expires = plan.expires.map { $0 == .min ? .distantPast : date.addingTimeInterval(TimeInterval($0)) }
        if plan.hasTag { fields.tag = (plan.isWeak ? "W/" : "") + "\"tag \(number)\"" }
        fields.modified = plan.modified.map { now.addingTimeInterval(TimeInterval(-$0)) }
        fields.vary = plan.vary
        return fields
    }

    /// Writes the fields. The times in them are those of the machine, whose clock does not move.
    private static func write(
        _ fields: CacheModel.Fields,
        to response: inout LoopbackServer.Response,
        offset: TimeInterval
    ) {
        func text(_ date: Date) -> String { HTTPDate.string(from: date.addingTimeInterval(-offset)) }
        if !fields.control.isEmpty { response.headers.append("Cache-Control", fields.control.text) }
        if let date = fields.date { response.headers.append("Date", text(date)) }
        if let age = fields.age { response.headers.append("Age", "\(age)") }
        if let expires = fields.expires {
            response.headers.append("Expires", expires == .distantPast ? "0" : text(expires))
        }
        if let tag = fields.tag { response.headers.append("ETag", tag) }
        if let modified = fields.modified { response.headers.append("Last-Modified", text(modified)) }
        if !fields.vary.isEmpty { response.headers.append("Vary", fields.vary.joined(separator: ", ")) }
        if let update = fields.update { response.headers.append("X-Update", "\(update)") }
    }
}
#endif
