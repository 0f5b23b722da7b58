internal import HTTPSyntax
import Synchronization

/// The store of a shared credential, and the steps on it. Each step has a limit of time.
struct CredentialSharing<Credential: Sendable>: Sendable {
    /// A value of the store.
    struct Reading: Sendable {
        /// The record; nil if there is no value, or if it cannot be read.
        let record: CredentialRecord?
        /// The reason why the value cannot be read.
        let defect: CredentialRecord.Defect?
        let version: SharedValue.Version?
    }

    let store: any SharedStore
    let key: String
    /// The limit of a step.
    let timeout: Duration
    /// The time after which another process may take over from a process that has ended.
    var leaseDuration = Duration.seconds(10)
    /// The time after which a refresh counts as that of a process that has ended.
    var refreshLimit = Duration.seconds(120)
    /// The clock of the limits and delays.
    var clock: any Clock<Duration> = ContinuousClock()
    /// Encodes a credential. Empty data stand for a credential that cannot be encoded.
    let encode: @Sendable (Credential) -> Data
    /// Decodes a credential; nil if the data are no such credential.
    let decode: @Sendable (Data) -> Credential?

    /// The delays between two looks at the store.
    static var shortestDelay: Duration { .milliseconds(20) }
    static var longestDelay: Duration { .milliseconds(500) }
    /// The sum of the delays between attempts to store a credential.
    static var saveLimit: Duration { .seconds(60) }
    /// The number of times that a value is read and replaced, if other processes replace it at the same time.
    static var maximumReplacements: Int { 8 }

    func with(_ clock: any Clock<Duration>) -> Self {
        var sharing = self
        sharing.clock = clock
        return sharing
    }

    /// Returns the record of a credential that a program has set.
    func record(of credential: Credential) -> CredentialRecord { CredentialRecord(credential: encode(credential)) }

    // MARK: Steps

    /// - Parameter isReplacing: Whether a program replaces the record, so that a value that the store cannot read is no
    ///   error.
    func read(isReplacing: Bool = false) async throws(LarkspurError) -> Reading {
        do throws(LarkspurError) {
            return try await readValue()
        } catch {
            guard isReplacing, let version = (error.underlyingError as? any UnreadableValueError)?.unreadableVersion
            else { throw error }
            return Reading(record: nil, defect: .damaged, version: version)
        }
    }

    private func readValue() async throws(LarkspurError) -> Reading {
        guard let value = try await step({ try await $0.value(for: key) }) else {
            return Reading(record: nil, defect: nil, version: nil)
        }
        do throws(CredentialRecord.Defect) {
            return Reading(record: try CredentialRecord(json: value.data), defect: nil, version: value.version)
        } catch {
            return Reading(record: nil, defect: error, version: value.version)
        }
    }

    /// Replaces the record with a version.
    /// - Returns: False if the store has another version.
    func write(
        _ record: CredentialRecord,
        replacing version: SharedValue.Version?
    ) async throws(LarkspurError) -> Bool {
        guard let data = record.json else { throw error("The credential cannot be encoded for \(name).") }
        return try await step {
            try await $0.replaceValue(for: key, version: version, with: data, lifetime: nil)
        }
    }

    func acquireLease() async throws(LarkspurError) -> SharedLease.Attempt {
        try await step { try await $0.acquireLease(for: leaseKey, duration: leaseDuration) }
    }

    func renew(_ lease: SharedLease) async throws(LarkspurError) -> Bool {
        try await step { try await $0.renew(lease, duration: leaseDuration) }
    }

    /// Releases a lease. If this fails, the lease expires.
    func release(_ lease: SharedLease) async {
        _ = try? await step { try await $0.release(lease) }
    }

    /// Values and leases have separate keys, because a store may keep them in one place.
    private var leaseKey: String { key + ".lease" }

    /// Renews a lease until the task is cancelled, or the refresh has taken too long.
    func keep(_ lease: SharedLease) async {
        let interval = leaseDuration / 3
        var rest = refreshLimit
        while rest >= interval, await clock.wait(for: interval) {
            rest -= interval
            _ = try? await renew(lease)
        }
    }

    // MARK: Errors

    /// The store in the text of an error.
    private var name: String { "the store \("\(store)".excerpt)" }

    func error(_ sentence: String, _ underlyingError: (any Error)? = nil) -> LarkspurError {
        LarkspurError(.sharedStoreUnavailable, sentence, underlyingError: underlyingError)
    }

    /// The error of a value that cannot be read.
    func error(_ defect: CredentialRecord.Defect) -> LarkspurError {
        error("The value of the key “\(key.excerpt)” in \(name) \(defect.clause).")
    }

    /// The error of a value that changes each time that it is replaced.
    var contention: LarkspurError { error("Other processes replace the credential in \(name) too often.") }

    /// Returns the credential of a record.
    func credential(_ record: CredentialRecord) throws(LarkspurError) -> Credential {
        guard let credential = record.credential.flatMap(decode) else {
            throw error("The value of the key “\(key.excerpt)” in \(name) has a credential of another type.")
        }
        return credential
    }

    // MARK: Time

    /// Performs a step, but waits for it no longer than the limit.
    private func step<Value: Sendable>(
        _ perform: @escaping @Sendable (any SharedStore) async throws -> Value
    ) async throws(LarkspurError) -> Value {
        switch await outcome(of: perform) {
        case .success(let value): return value
        case .failure(let failure):
            let reason = SerializationFailure.reason(failure).withoutFullStop
            throw error("The credential cannot be shared, because \(name) failed: \(reason).", failure)
        case nil: throw error("The credential cannot be shared: \(name) did not answer within \(timeout.inSeconds).")
        }
    }

    /// - Returns: The result of a step; nil if it took longer than the limit.
    private func outcome<Value: Sendable>(
        of perform: @escaping @Sendable (any SharedStore) async throws -> Value
    ) async -> Result<Value, any Error>? {
        let first = FirstOutcome<Result<Value, any Error>?>()
        // A store that does not react to its cancellation is left behind.
        let work = Task { [store] in
            do { first.finish(.success(try await perform(store))) } catch { first.finish(.failure(error)) }
        }
        let alarm = Task { [clock, timeout] in
            if await clock.wait(for: timeout.bounded) { first.finish(nil) }
        }
        let outcome = await first.value()
        work.cancel()
        alarm.cancel()
        return outcome
    }
}

/// The error of a store about a value that it has, but cannot read.
package protocol UnreadableValueError: Error {
    /// The version of the value; nil if the error is about something else.
    var unreadableVersion: SharedValue.Version? { get }
}

/// The outcome of the task that ends first.
private final class FirstOutcome<Value: Sendable>: Sendable {
    private enum State {
        case open(CheckedContinuation<Value, Never>?)
        case finished(Value)
    }

    private let state = Mutex(State.open(nil))

    /// Waits for the outcome. Called once.
    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = state.withLock { state in
                if case .finished(let value) = state { return value }
                state = .open(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }

    /// Sets the outcome, unless there is one.
    func finish(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            guard case .open(let waiter) = state else { return nil }
            state = .finished(value)
            return waiter
        }
        waiter?.resume(returning: value)
    }
}
