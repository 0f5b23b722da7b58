internal import HTTPSyntax

/// A store of state that several processes share: values, token buckets and leases.
///
/// ``FolderStore`` shares state among the processes of one machine. The package `larkspur-redis` shares it among
/// machines. Rate limits and ``AuthenticationInterceptor`` can use a store.
///
/// The methods may be called at the same time, on arbitrary threads. Each of them is one atomic step for all processes,
/// and takes all times from one clock of the store. If a method throws, the step may have been performed or not. A
/// store limits the time of each step itself. Its errors and its `description` have no secrets.
public protocol SharedStore: Sendable, CustomStringConvertible {
    /// Returns the value of a key; nil if there is none, or if its lifetime has ended.
    func value(for key: String) async throws -> SharedValue?

    /// Replaces a value, unless another process has replaced it first (compare and set).
    /// - Parameters:
    ///   - key: The key.
    ///   - version: The version of the value that is replaced; nil if there must be no value yet.
    ///   - data: The new value; nil to remove the value.
    ///   - lifetime: The time after which the new value is removed; nil for none.
    /// - Returns: Whether the value was replaced. If not, the present value has another version.
    func replaceValue(
        for key: String,
        version: SharedValue.Version?,
        with data: Data?,
        lifetime: Duration?
    ) async throws -> Bool

    /// Takes a token from a bucket (the generic cell rate algorithm).
    /// - Parameters:
    ///   - key: The key of the bucket.
    ///   - bucket: The rate and the size of the bucket.
    ///   - limit: The longest delay that the caller accepts.
    /// - Returns: The time until the token may be used: zero, or the time until the rate allows it. If this time is
    ///   longer than `limit`, no token was taken.
    func takeToken(for key: String, from bucket: SharedBucket, within limit: Duration) async throws -> Duration

    /// Acquires a lease, if no other holder has it.
    /// - Parameters:
    ///   - key: The key of the lease.
    ///   - duration: The time after which the lease expires, unless it is renewed or released.
    func acquireLease(for key: String, duration: Duration) async throws -> SharedLease.Attempt

    /// Lets a lease expire later: `duration` from now. Returns false if the lease has already expired, or has another
    /// holder.
    func renew(_ lease: SharedLease, duration: Duration) async throws -> Bool

    /// Releases a lease. Has no effect if it has already expired, or has another holder.
    func release(_ lease: SharedLease) async throws
}

/// A value in a ``SharedStore``, with its version.
public struct SharedValue: Sendable, Hashable {
    /// The version of a value. No two values of a key ever have the same version, even if the value was removed in
    /// between.
    public struct Version: Sendable, Hashable {
        /// The version in the notation of the store.
        public let text: String

        /// Creates a version. Only stores need to create versions.
        public init(_ text: String) { self.text = text }
    }

    /// The value.
    public let data: Data
    /// The version of the value.
    public let version: Version

    /// Creates a value. Only stores need to create values.
    public init(data: Data, version: Version) {
        self.data = data
        self.version = version
    }
}

/// The rate and the size of a token bucket in a ``SharedStore``.
///
/// The state of a bucket is the time at which it is full. A token moves this time by ``interval``. The token may be
/// used when the time is at most ``capacity`` ahead:
///
/// ```text
/// next = max(full, now - tolerance) + interval
/// delay = max(next - now - capacity, 0)
/// ```
public struct SharedBucket: Sendable, Hashable {
    /// The time in which one token returns.
    public let interval: Duration
    /// The time in which an empty bucket becomes full.
    public let capacity: Duration
    /// The longest delay of a waiting caller that later tokens make up for; zero for a caller that has not waited.
    public let tolerance: Duration

    /// Creates a bucket.
    /// - Parameters:
    ///   - interval: The time in which one token returns, more than zero.
    ///   - capacity: The time in which an empty bucket becomes full, at least `interval`.
    ///   - tolerance: The longest delay of a waiting caller that later tokens make up for. Default: zero.
    public init(interval: Duration, capacity: Duration, tolerance: Duration = .zero) {
        self.interval = interval
        self.capacity = capacity
        self.tolerance = tolerance
    }
}

/// A lease of a ``SharedStore``: one holder at a time has it.
public struct SharedLease: Sendable, Hashable {
    /// The result of an attempt to acquire a lease.
    public enum Attempt: Sendable, Hashable {
        /// The caller has the lease.
        case acquired(SharedLease)
        /// Another holder has the lease, which expires after the given time at the latest, unless it is renewed.
        case held(Duration)
    }

    /// The key of the lease.
    public let key: String
    /// The fencing number. It is larger than those of all earlier leases of the key.
    public let number: UInt64

    /// Creates a lease. Only stores need to create leases.
    public init(key: String, number: UInt64) {
        self.key = key
        self.number = number
    }
}
