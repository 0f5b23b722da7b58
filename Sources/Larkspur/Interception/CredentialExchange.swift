/// An exchange of a process's copy of a credential with the store: a look at the store, or a refresh under a lease.
///
/// A refresh has these steps, so that a credential that may be used once is used once:
///
/// 1. Read the record. If it has a newer credential, use that.
/// 2. Acquire the lease, or wait until another process has replaced the record or released the lease.
/// 3. Read the record again, and replace it by one with a marker (compare and set).
/// 4. Send the refresh, and renew the lease meanwhile.
/// 5. Replace the record by one with the new credential, and release the lease.
struct CredentialExchange<Credential: Sendable>: Sendable {
    private enum Look {
        case removed
        case adopted(CredentialRecord)
        case written
        case kept(CredentialRecord, SharedValue.Version?)
    }

    let sharing: CredentialSharing<Credential>
    let rules: CredentialRules<Credential>
    private(set) var copy: CredentialCopy
    /// The credential of the copy; nil if there is none.
    private(set) var credential: Credential?
    /// Whether the exchange has replaced or removed the credential.
    private(set) var isReplaced = false
    /// The failure of the store after a refresh, whose result only this process has.
    private(set) var saveFailure: LarkspurError?
    /// The lease that is not released yet, so that other processes wait a while longer: for the result of a refresh, or
    /// for the removal of the marker of a refresh that was not sent.
    private(set) var heldLease: SharedLease?

    init(
        _ sharing: CredentialSharing<Credential>,
        _ rules: CredentialRules<Credential>,
        _ copy: CredentialCopy,
        _ credential: Credential?,
        heldLease: SharedLease? = nil
    ) {
        self.sharing = sharing
        self.rules = rules
        self.copy = copy
        self.credential = credential
        self.heldLease = heldLease
    }

    /// Brings the copy and the store's record together, without a refresh.
    /// - Throws: `sharedStoreUnavailable`.
    mutating func synchronize() async throws(LarkspurError) {
        if let heldLease { _ = try await sharing.renew(heldLease) }
        _ = try await look()
        if copy.unusedLease != nil { try await clearMarker() }
    }

    /// Removes the marker of a refresh that was not sent.
    ///
    /// The step that writes the marker may have failed for this process, and be performed later. So the record is
    /// replaced even if it has no marker: then its version is another one.
    private mutating func clearMarker() async throws(LarkspurError) {
        for _ in 0..<CredentialSharing<Credential>.maximumReplacements {
            let reading = try await sharing.read()
            guard let cleared = copy.clearing(of: reading.record) else { return copy.forgetUnusedLease() }
            if try await sharing.write(cleared, replacing: reading.version) {
                copy.wasStored(as: cleared)
                return copy.forgetUnusedLease()
            }
        }
        throw sharing.contention
    }

    private mutating func look() async throws(LarkspurError) -> Look {
        for _ in 0..<CredentialSharing<Credential>.maximumReplacements {
            let reading = try await sharing.read(isReplacing: copy.pending == .replacement)
            // Only a program replaces a value that cannot be read.
            if let defect = reading.defect, copy.pending != .replacement { throw sharing.error(defect) }
            switch reading.defect == nil ? copy.step(beside: reading.record) : .write(copy.replacement) {
            case .remove:
                replace(by: nil)
                copy.adopt(nil)
                return .removed
            case .adopt(let record):
                replace(by: try sharing.credential(record))
                copy.adopt(record)
                return .adopted(record)
            case .keep(let record):
                copy.wasStored(as: record)
                return .kept(record, reading.version)
            case .write(let record):
                if try await sharing.write(record, replacing: reading.version) {
                    copy.wasStored(as: record)
                    return record.credential == nil ? .removed : .written
                }
            }
        }
        throw sharing.contention
    }

    private mutating func replace(by new: Credential?) {
        if credential == nil, new == nil { return }
        credential = new
        isReplaced = true
    }

    // MARK: Refresh

    /// Replaces the credential by a newer one: that of the store, or that of a refresh.
    /// - Parameter refusal: The response that refused the credential; nil if it has expired.
    /// - Throws: `sharedStoreUnavailable`, or `credentialRefreshFailed`.
    mutating func renew(after refusal: InterceptedResponse?) async throws(LarkspurError) {
        var delay = CredentialSharing<Credential>.shortestDelay
        var isFirst = true
        while true {
            switch try await look() {
            case .removed: return
            // The result of a refresh by another process is used as it is, even if it expires soon.
            case .adopted(let record):
                guard isFirst, let credential, rules.dueExpiry(of: credential, from: record.refreshDate) != nil else {
                    return
                }
            case .written: break
            case .kept(let record, _):
                let step = copy.refreshStep(
                    of: record,
                    lease: nil,
                    isRepeatable: rules.authenticator.allowsRepeatedRefresh
                )
                if case .fail = step { throw Self.abandonment }
                switch try await acquireLease() {
                case .acquired(let lease): if try await renew(lease, after: refusal) { return }
                case .held(let rest):
                    guard await sharing.clock.wait(for: min(delay, max(rest, .milliseconds(1)))) else {
                        throw sharing.contention
                    }
                    delay = min(delay * 2, CredentialSharing<Credential>.longestDelay)
                }
            }
            isFirst = false
        }
    }

    /// Acquires the lease, unless this process still has it.
    private mutating func acquireLease() async throws(LarkspurError) -> SharedLease.Attempt {
        if let lease = heldLease {
            let isHeld = try await sharing.renew(lease)
            heldLease = nil
            if isHeld { return .acquired(lease) }
        }
        return try await sharing.acquireLease()
    }

    /// Refreshes the credential under a lease, and releases the lease.
    /// - Returns: Whether the credential was replaced. If not, the lease is lost, or another process has replaced the
    ///   record at the same time.
    private mutating func renew(_ lease: SharedLease, after refusal: InterceptedResponse?) async throws(LarkspurError)
        -> Bool
    {
        do throws(LarkspurError) {
            let isRenewed = try await renewHolding(lease, after: refusal)
            await finish(lease)
            return isRenewed
        } catch {
            await finish(lease)
            throw error
        }
    }

    /// Releases a lease, unless the other processes have to wait for a step that has failed.
    private mutating func finish(_ lease: SharedLease) async {
        if saveFailure == nil, copy.unusedLease == nil { await sharing.release(lease) } else { heldLease = lease }
    }

    private mutating func renewHolding(_ lease: SharedLease, after refusal: InterceptedResponse?)
        async throws(LarkspurError) -> Bool
    {
        let (record, version): (CredentialRecord, SharedValue.Version?)
        switch try await look() {
        case .kept(let kept, let present): (record, version) = (kept, present)
        case .adopted, .removed: return true
        case .written: return false
        }
        guard let old = credential else { return true }
        let isHeld: Bool
        switch copy.refreshStep(
            of: record,
            lease: lease.number,
            isRepeatable: rules.authenticator.allowsRepeatedRefresh
        ) {
        case .acquire: return false
        case .fail(let ending):
            // The other process may be alive, and this lease may have expired long ago.
            guard try await sharing.renew(lease) else { return false }
            if let ending { _ = try? await sharing.write(ending, replacing: version) }
            throw Self.abandonment
        case .begin(let marked):
            do throws(LarkspurError) {
                guard try await sharing.write(marked, replacing: version) else { return false }
                copy.wasStored(as: marked)
                // This process may have been paused for longer than the lease.
                isHeld = try await sharing.renew(lease)
            } catch {
                // The store may have the marker, or get it yet. The task that stores the copy removes it.
                copy.wasNotUsed(under: lease.number)
                throw error
            }
        }
        guard isHeld else {
            copy.wasNotUsed(under: lease.number)
            try await clearMarker()
            return false
        }
        copy.forgetUnusedLease()
        return try await send(old, record, lease, after: refusal)
    }

    private mutating func send(
        _ old: Credential,
        _ record: CredentialRecord,
        _ lease: SharedLease,
        after refusal: InterceptedResponse?
    ) async throws(LarkspurError) -> Bool {
        let keeper = Task { [sharing] in await sharing.keep(lease) }
        let progress = RefreshProgress()
        let result: Result<Credential, any Error>
        do {
            result = .success(
                try await RefreshProgress.$current.withValue(progress) {
                    try await rules.authenticator.refresh(old, after: refusal)
                }
            )
        } catch {
            result = .failure(error)
        }
        keeper.cancel()
        switch result {
        case .success(let new):
            replace(by: new)
            copy.wasRefreshed(to: record.refreshed(sharing.encode(new), at: rules.date()))
            // The new credential can be used even if the store cannot get it now.
            do throws(LarkspurError) { try await synchronize() } catch { saveFailure = error }
            return true
        case .failure(let error):
            if rules.authenticator.allowsRepeatedRefresh || progress.provesUnused(error) {
                copy.wasNotUsed(under: lease.number)
                try? await clearMarker()
            } else {
                await end(lease)
            }
            throw LarkspurError(refresh: error)
        }
    }

    /// Notes in the marker that the refresh has ended without a result. If the store fails, other processes find that
    /// its lease has expired.
    private mutating func end(_ lease: SharedLease) async {
        for _ in 0..<CredentialSharing<Credential>.maximumReplacements {
            guard let reading = try? await sharing.read(),
                let ending = copy.ending(of: reading.record, lease: lease.number),
                let isWritten = try? await sharing.write(ending, replacing: reading.version)
            else { return }
            if isWritten { return copy.wasStored(as: ending) }
        }
    }

    /// The error of a credential whose refresh has begun, and has no result.
    private static var abandonment: LarkspurError {
        LarkspurError(
            .credentialRefreshFailed,
            "The process that refreshed the shared credential has ended, or has got no result. The credential may have "
                + "been used and cannot be refreshed again: sign in again."
        )
    }
}
