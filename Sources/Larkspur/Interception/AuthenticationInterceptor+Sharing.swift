internal import HTTPSyntax
import Synchronization

/// The use of a credential that several processes share through a store.
///
/// The store is read before the first request, before each request without a credential, when the credential is about
/// to expire, and when a server refuses it. Other requests use the copy in memory.
extension AuthenticationInterceptor {
    /// The part of the state that concerns the store.
    struct SharedState {
        var copy: CredentialCopy
        /// Whether the store was read, or the program has set the credential.
        var isKnown = false
        /// The pause after a failure of the store, in which a credential that has not expired is used without it; nil
        /// if the store has not failed.
        var pause: StorePause?
        /// The tasks that try to store the copy.
        var saving = SavingTasks()
        /// The lease of a refresh whose result is not stored yet, or whose marker is not removed yet.
        var heldLease: SharedLease?
        /// A failure of the store that was reported to no call yet.
        var unreported: LarkspurError?

        /// Whether the store has to get the copy in place of its own credential, or has to lose a marker.
        var needsSaving: Bool {
            copy.pending == .renewal || copy.pending == .replacement || copy.unusedLease != nil
        }
    }

    /// A time after a failure of the store. A change of the system's date does not change it.
    struct StorePause {
        let stopwatch: Stopwatch
        let duration: Duration

        var isOver: Bool { stopwatch.elapsed() >= duration }
    }

    /// An exchange with the store. There is one at a time.
    enum Errand: Sendable {
        /// Reads the store.
        case load
        /// Replaces the credential of the store.
        case save
        /// Replaces the credential of a request that has expired or was refused.
        case renewal(after: InterceptedResponse?)
    }

    // MARK: Requests

    /// Returns the credential, after a look at the store or a refresh if needed. If these fail and the old credential
    /// has not expired yet, returns the old credential.
    func presentSharedUse(_ sharing: CredentialSharing<Credential>, _ context: RequestContext) async throws -> Use? {
        if mustRead() {
            do {
                try await reporting(to: context) { try await load(sharing.with(context.clock)) }
            } catch let error as LarkspurError {
                guard let use = state.withLock({ $0.use }), !rules.hasExpired(use.credential) else { throw error }
                return use
            }
        }
        report(to: context)
        resumeSaving(sharing)
        let (use, refreshDate, pause) = state.withLock { ($0.use, $0.refreshDate, $0.shared?.pause) }
        guard let use, let expiry = rules.dueExpiry(of: use.credential, from: refreshDate) else { return use }
        if let pause, !pause.isOver, rules.date() < expiry { return use }
        do {
            return try await newerSharedUse(than: use, after: nil, sharing, context)
        } catch let error as LarkspurError {
            guard rules.date() < expiry else { throw error }
            return use
        }
    }

    /// Returns the credential that has replaced the credential of a request, as `newerUse` does. If the store has a
    /// newer one, and a refresh of that one fails, returns it unless it has expired.
    func newerSharedUse(
        than use: Use,
        after refusal: InterceptedResponse?,
        _ sharing: CredentialSharing<Credential>,
        _ context: RequestContext
    ) async throws -> Use? {
        do {
            return try await replacement(of: use, after: refusal, sharing, context)
        } catch let error as LarkspurError {
            guard let newer = state.withLock({ $0.use }), newer.version != use.version,
                !rules.hasExpired(newer.credential)
            else { throw error }
            return newer
        }
    }

    private func replacement(
        of use: Use,
        after refusal: InterceptedResponse?,
        _ sharing: CredentialSharing<Credential>,
        _ context: RequestContext
    ) async throws -> Use? {
        try await reporting(to: context) {
            while true {
                switch state.withLock({ $0.step(after: use) }) {
                case .use(let newer): return newer
                case .fail(let error): throw error
                // The exchange under way may be one without a refresh.
                case .wait(let result): try await result.value()
                case .refresh(let result, _):
                    start(.renewal(after: refusal), sharing.with(context.clock), result)
                    try await result.value()
                }
            }
        }
    }

    /// Whether the store has to be read before a request.
    private func mustRead() -> Bool {
        let (credential, shared) = state.withLock { ($0.credential, $0.shared) }
        guard let shared, !shared.isKnown || credential == nil else { return false }
        return shared.pause?.isOver ?? true || credential.map(rules.hasExpired) ?? true
    }

    // MARK: Events

    /// Runs a closure, and reports a failure of the store to the observers of a call.
    private func reporting<Value: Sendable>(
        to context: RequestContext,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await body()
            report(to: context)
            return value
        } catch let error as LarkspurError {
            if error.code == .sharedStoreUnavailable { context.note(.sharedStore(reason: error.message)) }
            throw error
        }
    }

    private func report(to context: RequestContext) {
        guard let error = state.withLock({ $0.shared?.unreported.take() }) else { return }
        context.note(.sharedStore(reason: error.message))
    }

    // MARK: Exchanges

    /// Reads the store, or waits for the exchange under way.
    private func load(_ sharing: CredentialSharing<Credential>) async throws {
        let (result, isNew) = state.withLock { state in
            if let running = state.refresh { return (running, false) }
            let result = SharedResult<Void>()
            state.refresh = result
            return (result, true)
        }
        if isNew { start(.load, sharing, result) }
        try await result.value()
    }

    /// Starts an exchange whose result is `state.refresh`. Its task is detached, as that of a refresh without a store.
    private func start(
        _ errand: Errand,
        _ sharing: CredentialSharing<Credential>,
        _ result: SharedResult<Void>
    ) {
        // The requests of a store must not wait for the credential, either.
        let scope = RefreshScope.interceptors.union([ObjectIdentifier(self)])
        Task.detached {
            await RefreshScope.$interceptors.withValue(scope) { _ = await self.run(errand, sharing, result) }
        }
    }

    /// Performs an exchange.
    /// - Returns: Its error; nil if the program has set another credential meanwhile.
    private func run(
        _ errand: Errand,
        _ sharing: CredentialSharing<Credential>,
        _ result: SharedResult<Void>
    ) async -> LarkspurError? {
        let (credential, shared, version) = state.withLock { state in
            defer { state.shared?.heldLease = nil }
            return (state.credential, state.shared, state.version)
        }
        var exchange = CredentialExchange(
            sharing,
            rules,
            shared?.copy ?? CredentialCopy(initial: nil),
            credential,
            heldLease: shared?.heldLease
        )
        var failure: LarkspurError?
        do throws(LarkspurError) {
            if case .renewal(let refusal) = errand {
                try await exchange.renew(after: refusal)
            } else {
                try await exchange.synchronize()
            }
        } catch {
            failure = error
        }
        let pause = StorePause(stopwatch: sharing.clock.stopwatch(), duration: sharing.timeout)
        let end = state.withLock { state in
            if state.refresh === result { state.refresh = nil }
            return state.end(errand, exchange, failure, since: version, pause: pause)
        }
        // Releases the old credential here, outside the lock.
        withExtendedLifetime(end.replaced) {}
        if let lease = end.unneededLease { await sharing.release(lease) }
        if case .save = errand {
            // A request that waits needs the store only if it reads the store itself.
            result.finish(with: .success(()))
        } else {
            result.finish(with: end.failure.map { .failure($0) } ?? .success(()))
            startSaving(sharing)
        }
        return end.failure
    }

    // MARK: Saving

    /// Sets the credential, and waits until the store has it.
    ///
    /// Other processes use the credential when they next read the store: when theirs is about to expire, is refused, or
    /// is missing. If the credential is nil, the value of the store is removed. If two processes set the credential at
    /// the same time, the last one in the store is used. For an interceptor without a store, this is the same as
    /// setting ``credential``.
    /// - Parameter credential: The credential; nil to remove it.
    /// - Throws: `sharedStoreUnavailable`. The credential is set in this process nevertheless, and the interceptor
    ///   tries for a minute to store it, and again during later calls. It then also replaces a credential that another
    ///   process has set meanwhile. If the store had received the credential in spite of the error, and a third process
    ///   has refreshed it before that, the credential may be refreshed a second time.
    public func setCredential(_ credential: Credential?) async throws(LarkspurError) {
        guard let sharing else {
            self.credential = credential
            return
        }
        let version = replaceShared(by: credential, sharing)
        // A store may take requests of this interceptor.
        let scope = RefreshScope.interceptors.union([ObjectIdentifier(self)])
        let failure = await RefreshScope.$interceptors.withValue(scope) { await saveOnce(version, sharing) }
        startSaving(sharing)
        if let failure { throw failure }
    }

    /// Replaces the credential in memory.
    /// - Returns: The version of the state.
    @discardableResult
    func replaceShared(by new: Credential?, _ sharing: CredentialSharing<Credential>) -> Int {
        // The encoding is the caller's code, so it runs outside the lock.
        let record = new.map { sharing.record(of: $0) }
        let (replaced, version) = state.withLock { state in
            let replaced = state.replace(by: new)
            // The result of an exchange under way will be ignored, so that nothing has to wait for it.
            state.refresh = nil
            state.shared?.copy = CredentialCopy(replacement: record)
            state.shared?.isKnown = true
            state.shared?.pause = nil
            // Its task may wait for that exchange.
            state.shared?.saving.present = nil
            return (replaced, state.version)
        }
        withExtendedLifetime(replaced) {}
        return version
    }

    /// Tries once to store the copy with a version.
    /// - Returns: The error of the store.
    func saveOnce(_ version: Int, _ sharing: CredentialSharing<Credential>) async -> LarkspurError? {
        while true {
            switch state.withLock({ $0.saveStep(for: .version(version)) }) {
            case .done: return nil
            // In a cancelled task, the wait would end at once, and the loop would not rest.
            case .wait(let result): await Task.detached { _ = try? await result.value() }.value
            case .save(let result): return await run(.save, sharing, result)
            }
        }
    }

    /// Starts to store the copy, unless the store has it or has just failed.
    private func resumeSaving(_ sharing: CredentialSharing<Credential>) {
        let shared = state.withLock { $0.shared }
        guard let shared, shared.needsSaving, shared.saving.present == nil, shared.pause?.isOver ?? true else { return }
        startSaving(sharing)
    }

    /// Starts a task that tries for a while to store the copy.
    func startSaving(_ sharing: CredentialSharing<Credential>) {
        let number: Int? = state.withLock { state in
            guard let shared = state.shared, shared.needsSaving, shared.saving.present == nil else { return nil }
            return state.shared?.saving.begin()
        }
        guard let number else { return }
        let scope = RefreshScope.interceptors.union([ObjectIdentifier(self)])
        Task.detached { await RefreshScope.$interceptors.withValue(scope) { await self.save(sharing, number) } }
    }

    private func save(_ sharing: CredentialSharing<Credential>, _ number: Int) async {
        var delay = CredentialSharing<Credential>.shortestDelay
        var rest = CredentialSharing<Credential>.saveLimit
        while rest > .zero {
            switch state.withLock({ $0.saveStep(for: .task(number)) }) {
            case .done: return
            case .wait(let result): _ = try? await result.value()
            case .save(let result):
                guard let _ = await run(.save, sharing, result) else { continue }
                rest = await sharing.clock.wait(for: delay) ? rest - delay : .zero
                delay = min(delay * 2, CredentialSharing<Credential>.longestDelay)
            }
        }
        state.withLock { $0.shared?.saving.end(number) }
    }
}

extension AuthenticationInterceptor.State {
    enum SaveStep: Sendable {
        case done
        case wait(SharedResult<Void>)
        case save(SharedResult<Void>)
    }

    /// The copies that a task stores.
    enum SaveScope: Sendable {
        /// The copy with a version.
        case version(Int)
        /// Each copy, as the task with a number. It ends when another task has its place.
        case task(Int)
    }

    /// Returns the next step of a task that stores the copy.
    mutating func saveStep(for scope: SaveScope) -> SaveStep {
        guard let shared else { return .done }
        switch scope {
        case .version(let version): guard version == self.version, shared.needsSaving else { return .done }
        case .task(let number):
            guard shared.saving.present == number else { return .done }
            guard shared.needsSaving else {
                self.shared?.saving.end(number)
                return .done
            }
        }
        if let refresh { return .wait(refresh) }
        let result = SharedResult<Void>()
        refresh = result
        return .save(result)
    }

    /// Applies the end of an exchange.
    /// - Parameters:
    ///   - version: The version of the state with which the exchange began.
    ///   - pause: The pause in which the store is not used if it has failed.
    /// - Returns: The credential that was replaced, the lease that is not needed any more, and the error for those that
    ///   wait.
    mutating func end(
        _ errand: AuthenticationInterceptor<Credential>.Errand,
        _ exchange: CredentialExchange<Credential>,
        _ error: LarkspurError?,
        since version: Int,
        pause: AuthenticationInterceptor<Credential>.StorePause
    ) -> (replaced: Credential?, unneededLease: SharedLease?, failure: LarkspurError?) {
        if case .renewal = errand { pastRefreshes.end() }
        // A credential that was set in the meantime is newer.
        guard version == self.version else { return (nil, exchange.heldLease, nil) }
        let replaced =
            exchange.isReplaced
            ? replace(by: exchange.credential, refreshDate: exchange.copy.record?.refreshDate) : nil
        shared?.copy = exchange.copy
        let storeFailure = exchange.saveFailure ?? error.flatMap { $0.code == .sharedStoreUnavailable ? $0 : nil }
        shared?.pause = storeFailure == nil ? nil : pause
        if error == nil || storeFailure == nil { shared?.isKnown = true }
        switch errand {
        case .load: break
        // No call waits for it.
        case .save: shared?.unreported = storeFailure
        case .renewal:
            if let saveFailure = exchange.saveFailure { shared?.unreported = saveFailure }
            if let error { pastRefreshes.fail(with: error) }
        }
        guard shared?.needsSaving == true else { return (replaced, exchange.heldLease, error) }
        shared?.heldLease = exchange.heldLease
        return (replaced, nil, error)
    }
}

/// The numbers of the tasks that try to store a credential. At most one of them may do so.
struct SavingTasks: Sendable {
    /// The number of the task that may; nil if there is none. A task that has lost its place ends.
    var present: Int?
    private var last = 0

    mutating func begin() -> Int {
        last += 1
        present = last
        return last
    }

    mutating func end(_ number: Int) {
        if present == number { present = nil }
    }
}
