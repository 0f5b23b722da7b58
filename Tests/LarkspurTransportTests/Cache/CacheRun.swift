#if canImport(FoundationNetworking)
import HTTPSyntax
import TestSupport
import Testing

@testable import LarkspurTransport

/// A sequence that is played with a session, beside the model.
struct CacheRun {
    private let number: Int
    private let lab: CacheModelLab
    private let origin: CacheOrigin
    private let sequence: CacheSequence
    /// The models of the two URLs.
    private var models = [CacheModel(), CacheModel()]
    /// The outcomes by their kinds.
    private(set) var counts: [String: Int] = [:]
    /// The outcomes so far, for failures.
    private var history: [String] = []

    init(_ number: Int, _ lab: CacheModelLab) {
        self.number = number
        self.lab = lab
        origin = CacheOrigin(number)
        sequence = CacheSequence(number)
        lab.register(origin, for: number)
    }

    mutating func play() async throws {
        for step in sequence.steps {
            switch step {
            case .advance(let seconds): advance(by: seconds)
            case .ask(let resource, let query, let plan):
                let reply = try await send(query, to: resource, expecting: plan)
                history.append("\(step): \(reply)")
                let faults = judge(reply, to: query, of: resource)
                if !faults.isEmpty {
                    let steps = history.joined(separator: "\n")
                    Issue.record("Sequence \(number): \(faults)\n\(steps)")
                    return
                }
                // The request that follows by itself may come at any time, and change anything.
                if reply.use == "revalidatedLater" { return }
            }
        }
    }

    /// Moves the clock: what is stored becomes older by so many seconds.
    private mutating func advance(by seconds: Int) {
        history.append("advance \(seconds)")
        origin.advance(by: seconds)
        let change = TimeInterval(-seconds)
        for resource in models.indices {
            let key = CacheEntry.key(lab.url(number, resource)) ?? ""
            for entry in lab.cache.entries.entries(for: key) {
                var older = entry
                older.requestTime = entry.requestTime.addingTimeInterval(change)
                older.responseTime = entry.responseTime.addingTimeInterval(change)
                for name in ["Date", "Expires", "Last-Modified"] {
                    guard let date = entry.fields[name].flatMap({ HTTPDate.parse($0) }) else { continue }
                    older.fields[name] = HTTPDate.string(from: date.addingTimeInterval(change))
                }
                lab.cache.entries.store(older)
            }
        }
    }

    // MARK: Requests

    private struct Reply: CustomStringConvertible {
        let status: Int?
        let version: Int?
        let update: Int?
        let age: Int?
        let use: String
        let contacts: [CacheOrigin.Contact]
        let error: String?

        var description: String {
            let asked = contacts.map { "\($0.status)\($0.isConditional ? " on conditions" : "")" }
            return
                "\(use), status \(status ?? 0), version \(version ?? 0), update \(update ?? 0), age \(age ?? -1), asked \(asked) \(error ?? "")"
        }
    }

    private func send(
        _ query: CacheModel.Query,
        to resource: Int,
        expecting plan: CacheSequence.Plan
    ) async throws -> Reply {
        origin.expect(plan)
        var request = URLRequest(lab.url(number, resource), query.method, headers: query.fields)
        if !query.control.isEmpty { request.setValue(query.control.text, forHTTPHeaderField: "Cache-Control") }
        let outcomes = Recorder<Outcome>()
        let task = lab.session.dataTask(with: request) {
            outcomes.record(Outcome(data: $0, response: $1, error: $2))
        }
        task.resume()
        let outcome = try await outcomes.first()
        func value(_ name: String) -> Int? { outcome.field(name).flatMap { Int($0) } }
        return Reply(
            status: outcome.status,
            version: value("X-Version"),
            update: value("X-Update"),
            age: value("Age"),
            use: task.transactionMetrics.last?.cacheUse?.description ?? "none",
            contacts: origin.contacts,
            error: outcome.error.map { "\($0)" }
        )
    }

    private mutating func count(_ kind: String) { counts[kind, default: 0] += 1 }

    // MARK: Judgements

    /// Returns why an outcome is not allowed, and records it in the model.
    private mutating func judge(_ reply: Reply, to query: CacheModel.Query, of resource: Int) -> [String] {
        guard reply.error == nil else { return ["an error"] }
        count(reply.use)
        guard query.method == "GET" || query.method == "HEAD" else { return judgeOther(reply, to: query, of: resource) }
        let now = origin.now
        let candidate = models[resource].candidate(for: query)
        let mustUse = candidate.map { models[resource].mustUse($0, for: query, at: now) } ?? false
        if reply.contacts.isEmpty || reply.use == "revalidatedLater" {
            guard let version = reply.version else {
                guard reply.status == 504, query.control.has("only-if-cached") else { return ["there is no content"] }
                count("gatewayTimeout")
                return mustUse ? ["a fresh response is not used"] : []
            }
            return models[resource].faults(
                ofUsing: version,
                update: reply.update,
                for: query,
                at: now,
                hasFailed: false
            ) + ageFaults(reply, of: resource, at: now)
        }
        if query.control.has("only-if-cached") { return ["5.2.1.7: the server was asked"] }
        if mustUse { return ["a fresh response is not used"] }
        return judgeContacts(reply, to: query, of: resource, candidate)
    }

    /// Compares the `Age` field of a stored response with the age in the model.
    private func ageFaults(_ reply: Reply, of resource: Int, at now: Date) -> [String] {
        guard let response = models[resource].stored.first(where: { $0.version == reply.version }) else { return [] }
        let ages = response.states.filter { $0.fields.update == reply.update }.map {
            CacheModel.freshness(of: $0, status: response.status, at: now).age
        }
        guard let age = reply.age else { return ["5.1: there is no Age"] }
        return ages.contains { abs($0 - TimeInterval(age)) < 90 } ? [] : ["5.1: the age is \(age), not \(ages)"]
    }

    private mutating func judgeContacts(
        _ reply: Reply,
        to query: CacheModel.Query,
        of resource: Int,
        _ candidate: CacheModel.Stored?
    ) -> [String] {
        var faults: [String] = []
        let known = candidate?.states.last?.fields
        if query.method == "GET", known?.tag != nil || known?.modified != nil,
            reply.contacts.first?.isConditional == false
        {
            faults.append("the server is not asked on conditions")
        }
        for (index, contact) in reply.contacts.enumerated() {
            if contact.isConditional {
                let isOf = models[resource].stored.contains { response in
                    models[resource].faults(
                        ofConfirming: response.version,
                        tag: contact.tag,
                        modified: contact.modified,
                        for: query
                    ).isEmpty
                }
                if !isOf { faults.append("4.3.1: the conditions are of no stored response") }
            }
            let isLast = index == reply.contacts.count - 1
            if !isLast, contact.status != 304 { faults.append("the server is asked again") }
            if contact.status == 304, !isLast { count("304 of another response") }
            if isLast { faults += judgeLast(contact, reply, to: query, of: resource, candidate) }
        }
        // The response after a 304 about another response need not be stored.
        if reply.contacts.count > 1 { models[resource].forgetCertainty() }
        return faults
    }

    private mutating func judgeLast(
        _ contact: CacheOrigin.Contact,
        _ reply: Reply,
        to query: CacheModel.Query,
        of resource: Int,
        _ candidate: CacheModel.Stored?
    ) -> [String] {
        if contact.status == 304 {
            guard let version = reply.version, reply.update == contact.fields.update else {
                return ["4.3.3: a 304 is delivered"]
            }
            let faults = models[resource].faults(
                ofConfirming: version,
                tag: contact.tag,
                modified: contact.modified,
                for: query
            )
            models[resource].update(version, by: contact.fields, at: contact.time, query: query)
            return faults
        }
        var faults: [String] = []
        let isFailure = [500, 502, 503, 504].contains(contact.status)
        let isOwn = query.method == "HEAD" ? reply.update == contact.fields.update : reply.version == contact.version
        if isFailure, !isOwn {
            faults = models[resource].faults(
                ofUsing: reply.version ?? 0,
                update: reply.update,
                for: query,
                at: origin.now,
                hasFailed: true
            )
        } else if !isOwn || reply.status != contact.status {
            faults = ["the server's response is not delivered"]
        } else if isFailure, reply.contacts.count == 1, mustFallBack(on: candidate, query) {
            // After a 304 about another response, the stored response is not what the server has.
            faults = ["RFC 5861, 4: a stale response does not replace the error"]
        }
        if query.method == "HEAD" {
            if contact.status == 200 {
                if !models[resource].stored.isEmpty { count("confirmed by HEAD") }
                models[resource].receiveHead(contact.fields, at: contact.time, query: query)
            } else {
                models[resource].forgetCertainty()
            }
        } else if let version = contact.version {
            let state = CacheModel.State(fields: contact.fields, arrival: contact.time, query: query)
            models[resource].receive(CacheModel.Stored(version: version, status: contact.status, states: [state]))
        }
        return faults
    }

    private func mustFallBack(on candidate: CacheModel.Stored?, _ query: CacheModel.Query) -> Bool {
        guard let candidate, let state = candidate.states.last,
            query.control.has("stale-if-error") || state.fields.control.has("stale-if-error")
        else { return false }
        let now = origin.now
        let freshness = CacheModel.freshness(of: state, status: candidate.status, at: now)
        let limit = query.control.seconds("stale-if-error") ?? state.fields.control.seconds("stale-if-error") ?? 0
        return freshness.staleness <= TimeInterval(limit) && !state.fields.control.has("must-revalidate")
            && CacheModel.faults(of: state, status: candidate.status, for: query, at: now, hasFailed: true).isEmpty
    }

    /// Judges a request that no cache answers.
    private mutating func judgeOther(_ reply: Reply, to query: CacheModel.Query, of resource: Int) -> [String] {
        guard reply.contacts.count == 1, let contact = reply.contacts.first, reply.version == contact.version,
            reply.status == contact.status, !contact.isConditional
        else { return ["4: the request did not reach the server as it is"] }
        if query.method != "OPTIONS", query.method != "QUERY", (200...399).contains(contact.status) {
            count("invalidated")
            models[resource].invalidate()
            // Only if the response names the other URL, which the plan says.
            if origin.namesOther { models[1 - resource].invalidate() }
        }
        return []
    }
}
#endif
