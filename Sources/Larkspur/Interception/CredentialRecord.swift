internal import HTTPSyntax

/// The value of a shared credential in a ``SharedStore``: the credential, and the refresh that may have used it.
///
/// A removed credential has a record too. So a store that has lost its data can be told from a logout: its value is
/// missing, and a process writes its copy again.
struct CredentialRecord: Sendable, Hashable {
    /// The place of a credential among those of its key.
    struct Identity: Sendable, Hashable {
        /// The identifier of a credential that a program has set, and of all credentials that were refreshed from it.
        var login: UUID
        /// The number of refreshes since then.
        var number: UInt64

        /// Returns whether another credential was refreshed from this one.
        func isBefore(_ other: Identity) -> Bool { login == other.login && number < other.number }
    }

    /// The marker of a refresh. It is written before the refresh is sent, so that no other process sends a credential
    /// that may be used only once.
    struct Refresh: Sendable, Hashable, Codable {
        /// The fencing number of the lease under which the refresh began.
        let lease: UInt64
        /// Whether the refresh has ended without a result.
        var hasEnded = false
    }

    /// The record of a credential that a program has removed.
    static var removal: Self {
        Self(identity: Identity(login: UUID(), number: 0), credential: nil, refreshDate: nil)
    }

    let identity: Identity
    /// The credential in the encoding of the interceptor; nil for a removed one.
    let credential: Data?
    /// The date of the refresh that led to the credential; nil for a credential that a program has set.
    let refreshDate: Date?
    /// The refresh that has begun with the credential; nil if there is none.
    var refresh: Refresh?
    /// Whether an interceptor was created with the credential, and the store had no record. The store may have lost its
    /// data, so a credential from a login or from a refresh replaces this one.
    var isInitial = false

    /// Creates the record of a credential that a program has set.
    init(credential: Data, login: UUID = UUID()) {
        self.init(identity: Identity(login: login, number: 0), credential: credential, refreshDate: nil)
    }

    private init(identity: Identity, credential: Data?, refreshDate: Date?) {
        self.identity = identity
        self.credential = credential
        self.refreshDate = refreshDate
    }

    /// Returns the record of the credential that was refreshed from this one.
    func refreshed(_ credential: Data, at date: Date) -> Self {
        let next = Identity(login: identity.login, number: identity.number + 1)
        return Self(identity: next, credential: credential, refreshDate: date)
    }

    /// Returns the record with another marker.
    func marked(_ refresh: Refresh?) -> Self {
        var record = self
        record.refresh = refresh
        return record
    }

    /// Returns whether a record has the same credential, with or without a marker.
    func hasSameCredential(as other: Self) -> Bool { identity == other.identity && credential == other.credential }
}

extension CredentialRecord {
    /// The reason why stored data are no record.
    enum Defect: Error, Equatable {
        /// A later version of Larkspur has written the data.
        case unknownFormat
        case damaged

        /// The reason, as the end of a sentence whose subject is the value.
        var clause: String {
            switch self {
            case .unknownFormat: "has a format that this version of Larkspur does not know"
            case .damaged: "is no record of a credential, or is damaged"
            }
        }
    }

    /// The JSON of a record. The credential is in base64.
    private struct Form: Codable {
        let format: Int
        let login: UUID
        let number: UInt64
        let credential: Data?
        /// The date of the refresh in seconds since 1970.
        let refreshed: Double?
        let refresh: Refresh?
        /// Nil for false.
        let initial: Bool?

        static let presentFormat = 1
    }

    private struct Format: Decodable {
        let format: Int
    }

    /// Reads a record from JSON.
    init(json: Data) throws(Defect) {
        let decoder = JSONDecoder()
        guard let format = try? decoder.decode(Format.self, from: json).format else { throw .damaged }
        guard format == Form.presentFormat else { throw .unknownFormat }
        // No number follows the largest one. No process refreshes a credential so often.
        guard let form = try? decoder.decode(Form.self, from: json), form.credential?.isEmpty != true,
            form.number < .max
        else { throw .damaged }
        self.init(
            identity: Identity(login: form.login, number: form.number),
            credential: form.credential,
            refreshDate: form.refreshed.map { Date(timeIntervalSince1970: $0) }
        )
        refresh = form.refresh
        isInitial = form.initial ?? false
    }

    /// The record as JSON; nil if the credential could not be encoded.
    var json: Data? {
        guard credential?.isEmpty != true else { return nil }
        let form = Form(
            format: Form.presentFormat,
            login: identity.login,
            number: identity.number,
            credential: credential,
            refreshed: refreshDate?.timeIntervalSince1970,
            refresh: refresh,
            initial: isInitial ? true : nil
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try? encoder.encode(form)
    }
}
