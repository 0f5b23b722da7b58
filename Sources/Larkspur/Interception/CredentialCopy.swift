/// The copy of a shared credential in the memory of a process, and the decisions about its next step. It is a value
/// without I/O.
struct CredentialCopy: Sendable, Hashable {
    /// The reason why the store has to get the copy.
    enum Pending: Sendable, Hashable {
        /// The interceptor was created with the credential. The store gets it if it has none.
        case initial
        /// The process has refreshed the credential. The store gets it in place of older ones of the same login.
        case renewal
        /// The program has set or removed the credential. The store gets it in place of any other.
        case replacement
    }

    /// The next step of a copy beside the store's record.
    enum Step: Sendable, Hashable {
        /// The store's credential replaces the copy.
        case adopt(CredentialRecord)
        /// The copy is removed, because a program has removed the credential, or there never was one.
        case remove
        /// The record replaces that of the store.
        case write(CredentialRecord)
        /// Both have the same credential. The record is that of the store, with its marker.
        case keep(CredentialRecord)
    }

    /// The next step of a refresh of the credential that both have.
    enum RefreshStep: Sendable, Hashable {
        /// The process needs a lease.
        case acquire
        /// The record replaces that of the store. Then the refresh is sent.
        case begin(CredentialRecord)
        /// The process that began a refresh has ended, if this process still has its lease. No process may refresh the
        /// credential again. The record replaces that of the store; nil if it says so already.
        case fail(CredentialRecord?)
    }

    /// The credential; nil if there is none. It has the marker that was last seen in the store. A store that has lost
    /// its data gets the marker again.
    private(set) var record: CredentialRecord?
    /// The reason why the store has to get the copy; nil if it has the same credential or a newer one.
    private(set) var pending: Pending?
    /// The lease of a refresh of this process that did not use the credential, although the store may have its marker,
    /// or may get it yet.
    private(set) var unusedLease: UInt64?

    /// Creates a copy of the credential with which an interceptor is created; nil if there is none.
    init(initial record: CredentialRecord?) {
        self.record = record
        pending = record == nil ? nil : .initial
    }

    /// Creates the copy of a credential that a program has set; nil if it has removed the credential.
    init(replacement record: CredentialRecord?) {
        self.record = record
        pending = .replacement
    }

    // MARK: Changes

    /// Replaces the copy by the store's credential; nil if it has none.
    mutating func adopt(_ stored: CredentialRecord?) {
        self = Self(initial: stored)
        pending = nil
    }

    /// Records that the store has the credential, or has none after a removal.
    /// - Parameter stored: The store's record.
    mutating func wasStored(as stored: CredentialRecord) {
        if record != nil { record = stored }
        pending = nil
    }

    /// Replaces the copy by the result of a refresh, which the store does not have yet.
    mutating func wasRefreshed(to new: CredentialRecord) {
        self = Self(initial: new)
        pending = .renewal
    }

    /// Records that a refresh under a lease did not use the credential.
    mutating func wasNotUsed(under lease: UInt64) {
        unusedLease = lease
        record?.refresh = nil
    }

    /// Records that the store has no marker of an unused lease, or that a refresh is now sent.
    mutating func forgetUnusedLease() { unusedLease = nil }

    // MARK: Decisions

    /// The record that the store gets in place of any other.
    var replacement: CredentialRecord { record ?? .removal }

    /// Returns the next step.
    /// - Parameter stored: The store's record; nil if there is none.
    func step(beside stored: CredentialRecord?) -> Step {
        guard let stored else {
            // The store has never had a value, or has lost it.
            guard record != nil || pending == .replacement else { return .remove }
            var record = replacement
            if pending == .initial { record.isInitial = true }
            return .write(record)
        }
        if stored.credential == nil {
            // A user has logged out. Only a new credential takes the place of the removed one.
            guard let record, pending == .initial || pending == .replacement else { return .remove }
            return .write(record)
        }
        if let record {
            if record.hasSameCredential(as: stored) { return .keep(stored) }
            // The store has lost its latest value, or did not get it.
            if stored.identity.isBefore(record.identity) { return .write(record) }
            if record.identity.isBefore(stored.identity) { return .adopt(stored) }
            // After the loss, another process was created with an older credential.
            if stored.isInitial, !record.isInitial, pending != .initial { return .write(record) }
        }
        return pending == .replacement ? .write(replacement) : .adopt(stored)
    }

    /// Returns the next step of a refresh.
    /// - Parameters:
    ///   - stored: The store's record, with the same credential.
    ///   - lease: The fencing number of this process's lease; nil if it has none.
    ///   - isRepeatable: Whether the credential may be used again if a process has ended during a refresh.
    func refreshStep(of stored: CredentialRecord, lease: UInt64?, isRepeatable: Bool) -> RefreshStep {
        let marker = stored.refresh
        let isUsable = isRepeatable || marker == nil || marker?.lease == unusedLease
        guard let lease else {
            // The process that has begun a refresh may still have its lease.
            return isUsable || marker?.hasEnded == false ? .acquire : .fail(nil)
        }
        if isUsable { return .begin(stored.marked(CredentialRecord.Refresh(lease: lease))) }
        return .fail(marker?.hasEnded == true ? nil : stored.ended)
    }

    /// Returns the record that replaces that of the store after a refresh without a result, which may have used the
    /// credential; nil if there is nothing to replace.
    /// - Parameters:
    ///   - stored: The store's record; nil if there is none.
    ///   - lease: The fencing number of the lease under which the refresh began.
    func ending(of stored: CredentialRecord?, lease: UInt64) -> CredentialRecord? {
        guard let stored, let record, record.hasSameCredential(as: stored), let marker = stored.refresh,
            marker.lease == lease, !marker.hasEnded
        else { return nil }
        return stored.ended
    }
}

extension CredentialCopy {
    /// Returns the record that replaces that of the store, so that the store has no marker of the unused lease and does
    /// not accept a late one; nil if another process has replaced the record.
    /// - Parameter stored: The store's record; nil if there is none.
    func clearing(of stored: CredentialRecord?) -> CredentialRecord? {
        guard let unusedLease, let stored, let record, record.hasSameCredential(as: stored),
            stored.refresh.map({ $0.lease == unusedLease }) ?? true
        else { return nil }
        return stored.marked(nil)
    }
}

extension CredentialRecord {
    /// The record after a refresh without a result.
    fileprivate var ended: CredentialRecord {
        var record = self
        record.refresh?.hasEnded = true
        return record
    }
}
