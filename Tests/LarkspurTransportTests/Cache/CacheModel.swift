#if canImport(FoundationNetworking)
import LarkspurTransport

/// RFC 9111's rules about stored responses, written from the text of the standard, and not from the engine's code.
///
/// The model knows each response that a server has sent for one URL, and judges each use of one of them. All times are
/// those of a clock that a test moves.
struct CacheModel {
    /// A directive of `Cache-Control`.
    struct Directive: Sendable, CustomStringConvertible {
        let name: String
        var seconds: Int?

        var description: String { name + (seconds.map { "=\($0)" } ?? "") }
    }

    /// A request, as far as a cache regards it.
    struct Query: Sendable {
        var method = "GET"
        /// The fields that `Vary` may name, with names in lower case.
        var fields: [String: String] = [:]
        var control: [Directive] = []
    }

    /// The fields of a response, as far as a cache regards them.
    struct Fields: Sendable {
        var control: [Directive] = []
        var date: Date?
        var age: Int?
        /// The value of `Expires`; a date in the distant past stands for a malformed one.
        var expires: Date?
        var tag: String?
        var modified: Date?
        /// The names in `Vary`, in lower case.
        var vary: [String] = []
        /// The number of the 304 or of the response to a HEAD whose fields these are; nil for the original ones.
        var update: Int?

        /// Whether a response was stored with fields that allow it whatever its status is. A 304 does not change that.
        private var wasExplicit = false

        init(control: [Directive] = [], date: Date? = nil, vary: [String] = []) {
            self.control = control
            self.date = date
            self.vary = vary
        }

        /// Whether the fields allow that a response is stored whatever its status is (section 3).
        var isExplicit: Bool {
            wasExplicit || expires != nil || ["public", "private", "max-age"].contains { control.has($0) }
        }

        /// The fields after a 304 (section 3.2).
        func updated(by new: Fields) -> Fields {
            var fields = self
            fields.wasExplicit = isExplicit
            if !new.control.isEmpty { fields.control = new.control }
            (fields.date, fields.age) = (new.date, new.age)
            fields.expires = new.expires ?? expires
            fields.tag = new.tag ?? tag
            fields.modified = new.modified ?? modified
            if !new.vary.isEmpty { fields.vary = new.vary }
            fields.update = new.update
            return fields
        }
    }

    /// The facts about a response that a cache may use.
    struct State: Sendable {
        var fields: Fields
        var arrival: Date
        /// The request whose fields `Vary` nominates.
        var query: Query
    }

    /// A response with content.
    struct Stored: Sendable {
        /// The content, which no other response has.
        let version: Int
        let status: Int
        /// The states of which the cache has one. It may, but need not, use the fields of a response to a HEAD.
        var states: [State]
        /// Whether an unsafe request has invalidated it (section 4.4).
        var isInvalidated = false
        /// Whether no later request for the URL has reached the server.
        var isLatest = true
    }

    /// The freshness of a state at a time.
    struct Freshness {
        let age: TimeInterval
        let lifetime: TimeInterval
        /// Whether the lifetime is stated, and not a guess.
        let isExplicit: Bool

        var staleness: TimeInterval { age - lifetime }
        var isFresh: Bool { lifetime > age }
    }

    private(set) var stored: [Stored] = []

    // MARK: Rules

    /// Computes the age (section 4.2.3) and the lifetime (section 4.2.1) of a response.
    static func freshness(of state: State, status: Int, at now: Date) -> Freshness {
        let fields = state.fields
        let date = fields.date ?? state.arrival
        let apparent = max(0, state.arrival.timeIntervalSince(date))
        let age = max(apparent, TimeInterval(fields.age ?? 0)) + now.timeIntervalSince(state.arrival)
        if let seconds = fields.control.seconds("max-age") {
            return Freshness(age: age, lifetime: TimeInterval(seconds), isExplicit: true)
        }
        if let expires = fields.expires {
            return Freshness(age: age, lifetime: max(0, expires.timeIntervalSince(date)), isExplicit: true)
        }
        let mayGuess = isHeuristicallyCacheable(status) || fields.control.has("public")
        let guess = mayGuess ? fields.modified.map { max(0, date.timeIntervalSince($0)) / 10 } : nil
        return Freshness(age: age, lifetime: guess ?? 0, isExplicit: false)
    }

    private static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    /// The rules that forbid the use of a response for a request.
    /// - Parameter hasFailed: Whether the server has just answered with an error.
    static func faults(of state: State, status: Int, for query: Query, at now: Date, hasFailed: Bool) -> [String] {
        var faults: [String] = []
        let (control, wishes) = (state.fields.control, query.control)
        let freshness = freshness(of: state, status: status, at: now)
        func require(_ condition: Bool, _ rule: String) { if !condition { faults.append(rule) } }

        require(state.query.method == "GET" && ["GET", "HEAD"].contains(query.method), "3: the method")
        require(!control.has("no-store") && !state.query.control.has("no-store"), "3: no-store")
        require(isHeuristicallyCacheable(status) || state.fields.isExplicit, "3: the status")
        require(!state.fields.vary.contains("*"), "4.1: Vary: *")
        require(
            state.fields.vary.allSatisfy { state.query.fields[$0] == query.fields[$0] },
            "4.1: a field that Vary names"
        )
        require(!control.has("no-cache"), "5.2.2.4: no-cache of the response")
        require(!wishes.has("no-cache"), "5.2.1.4: no-cache of the request")

        var tolerance: TimeInterval?
        if !control.has("must-revalidate") {
            var limits: [Int] = []
            if wishes.has("max-stale") { limits.append(wishes.seconds("max-stale") ?? .max) }
            if let limit = control.seconds("stale-while-revalidate") { limits.append(limit) }
            if hasFailed, let limit = wishes.seconds("stale-if-error") ?? control.seconds("stale-if-error") {
                limits.append(limit)
            }
            tolerance = limits.max().map { TimeInterval($0) }
        }
        require(freshness.isFresh || tolerance.map { freshness.staleness <= $0 } ?? false, "4.2.4: it is stale")
        // If the server has failed, its error would be no nearer to the request's wishes.
        guard !hasFailed else { return faults }
        if let limit = wishes.seconds("max-age"), !wishes.has("max-stale") {
            require(freshness.age <= TimeInterval(limit), "5.2.1.1: max-age of the request")
        }
        if let rest = wishes.seconds("min-fresh") {
            require(freshness.lifetime - freshness.age >= TimeInterval(rest), "5.2.1.3: min-fresh")
        }
        return faults
    }

    /// The rules that forbid the use of the response with this content; empty if it may be used.
    /// - Parameter update: The number of the 304 whose fields the response has.
    func faults(ofUsing version: Int, update: Int?, for query: Query, at now: Date, hasFailed: Bool) -> [String] {
        guard let response = stored.first(where: { $0.version == version }) else { return ["it was never sent"] }
        if response.isInvalidated { return ["4.4: it is invalidated"] }
        let judgements = response.states.filter { $0.fields.update == update }.map { state in
            let status = response.status
            var faults = Self.faults(of: state, status: status, for: query, at: now, hasFailed: hasFailed)
            if stored.contains(where: { $0.version > version && Self.isPreferred($0, to: state, for: query, at: now) })
            {
                faults.append("4: there is a more recent response")
            }
            return faults
        }
        return judgements.min { $0.count < $1.count } ?? ["3.2: it has not the fields of the last 304"]
    }

    /// The rules that forbid that a 304 for conditions confirms the response with this content (section 4.3.4).
    func faults(ofConfirming version: Int, tag: String?, modified: Date?, for query: Query) -> [String] {
        guard let response = stored.first(where: { $0.version == version }) else { return ["it was never sent"] }
        if response.isInvalidated { return ["4.4: it is invalidated"] }
        let isAsked = response.states.contains { state in
            if let tag { return state.fields.tag == tag }
            guard let modified, let own = state.fields.modified else { return false }
            return abs(own.timeIntervalSince(modified)) < 2
        }
        let matches = response.states.contains { state in
            state.fields.vary.allSatisfy { $0 != "*" && state.query.fields[$0] == query.fields[$0] }
        }
        return (isAsked ? [] : ["4.3.1: the conditions are those of another response"])
            + (matches ? [] : ["4.1: a field that Vary names"])
    }

    /// Whether a response can certainly be used in place of another one, and has a later date. A cache need not store a
    /// response that is not successful.
    private static func isPreferred(_ other: Stored, to state: State, for query: Query, at now: Date) -> Bool {
        guard let last = other.states.last, other.states.count == 1, !other.isInvalidated,
            (200...299).contains(other.status)
        else { return false }
        let date = state.fields.date ?? state.arrival
        return (last.fields.date ?? last.arrival).timeIntervalSince(date) > 300
            && faults(of: last, status: other.status, for: query, at: now, hasFailed: false).isEmpty
    }

    // MARK: What a good cache does

    /// The response that a cache certainly has for a request, fresh or not; nil if a cache may have reasons to have
    /// none.
    func candidate(for query: Query) -> Stored? {
        guard let response = stored.last, response.isLatest, !response.isInvalidated, response.states.count == 1,
            let state = response.states.last, state.query.method == "GET", (200...299).contains(response.status)
        else { return nil }
        let isKept = ![state.query.control, state.fields.control].contains { $0.has("no-store") }
        let matches = state.fields.vary.allSatisfy { $0 != "*" && state.query.fields[$0] == query.fields[$0] }
        let date = state.fields.date ?? state.arrival
        let isNewest = stored.allSatisfy { other in
            other.states.allSatisfy { ($0.fields.date ?? $0.arrival) <= date }
        }
        return isKept && matches && isNewest ? response : nil
    }

    /// Whether a cache should use a response without asking the server.
    func mustUse(_ candidate: Stored, for query: Query, at now: Date) -> Bool {
        guard let state = candidate.states.last, ["GET", "HEAD"].contains(query.method) else { return false }
        let freshness = Self.freshness(of: state, status: candidate.status, at: now)
        let isYoung = query.control.seconds("max-age").map { freshness.age <= TimeInterval($0) } ?? true
        return freshness.isExplicit && freshness.isFresh && isYoung
            && Self.faults(of: state, status: candidate.status, for: query, at: now, hasFailed: false).isEmpty
    }

    // MARK: What happens

    /// Records a response with content from the server.
    mutating func receive(_ response: Stored) {
        forgetCertainty()
        stored.append(response)
    }

    /// Records a 304 for a response. No part of a response to a request with no-store is stored (section 5.2.1.5). But
    /// if the 304 says that the response may no longer be stored, or that it matches no other request, a cache may
    /// discard it.
    mutating func update(_ version: Int, by fields: Fields, at now: Date, query: Query) {
        guard let index = stored.firstIndex(where: { $0.version == version }) else { return }
        guard !query.control.has("no-store") else {
            if fields.control.has("no-store") || fields.vary.contains("*") { stored[index].isLatest = false }
            return
        }
        let isLatest = stored[index].isLatest
        forgetCertainty()
        stored[index].isLatest = isLatest
        stored[index].states = stored[index].states.map { state in
            State(fields: state.fields.updated(by: fields), arrival: now, query: query)
        }
    }

    /// Records a response to a HEAD, whose fields a cache may take over.
    mutating func receiveHead(_ fields: Fields, at now: Date, query: Query) {
        forgetCertainty()
        guard !query.control.has("no-store") else { return }
        for (index, response) in stored.enumerated() where !response.isInvalidated {
            guard let state = response.states.last else { continue }
            var asked = query
            asked.method = "GET"
            stored[index].states.append(State(fields: state.fields.updated(by: fields), arrival: now, query: asked))
        }
    }

    /// Records that an unsafe request has succeeded.
    mutating func invalidate() { for index in stored.indices { stored[index].isInvalidated = true } }

    /// Records that the server was asked, whose response may have had any effect on what is stored.
    mutating func forgetCertainty() { for index in stored.indices { stored[index].isLatest = false } }
}

extension [CacheModel.Directive] {
    func has(_ name: String) -> Bool { contains { $0.name == name } }

    func seconds(_ name: String) -> Int? { first { $0.name == name }?.seconds }

    var text: String { map(\.description).joined(separator: ", ") }
}
#endif
