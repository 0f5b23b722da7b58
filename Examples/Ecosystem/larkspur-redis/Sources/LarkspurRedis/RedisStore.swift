public import Larkspur

/// A store of shared state in Redis or Valkey, which processes on many machines use.
///
///     let store = try RedisStore("redis://:secret@redis.example.com/0")
///
/// Each step is one command in one round trip, over one connection. Further steps do not wait for the replies to those
/// before. The connection is opened by the first step, and again after a loss. Connecting and waiting happen on threads
/// of the store, so that a slow server delays only those that wait for it. A step has a limit of time, which includes
/// the time for connecting. After a failed attempt to connect, further steps fail at once for 50 milliseconds; after
/// more failures for up to one second.
///
/// If the connection is lost before the reply, a step is sent once more. A second performance of the steps of values
/// and leases changes nothing. If the second reply to ``replaceValue(for:version:with:lifetime:)`` is that another
/// version is present, the first may have been performed, and the method throws. A second performance of
/// ``takeToken(for:from:within:)`` takes another token: one token is lost, and the rate is never higher.
///
/// If a call is cancelled, it throws a `CancellationError` at once. If ``acquireLease(for:duration:)`` throws although
/// the lease may be acquired, the store releases it in the background: as soon as a connection allows it, and while the
/// lease may last. When the store is released, it has the time of one more step for this.
///
/// All times are those of the server's clock. If the server loses its data, all values and leases are gone, and buckets
/// are full. Versions of before are not used again, and fencing numbers neither, unless the clock was set back.
///
/// The connection is not encrypted. A cluster of servers is not supported.
public final class RedisStore: SharedStore {
    let box: StepBox
    private let prefix: String

    /// The server and the database, without the user and the password.
    public var description: String { box.address.description }

    /// Creates a store. The connection is opened by the first step.
    /// - Parameters:
    ///   - url: The server: `redis://[[user]:password@]host[:port][/database]`, or
    ///     `unix://[[user]:password@]/path/to/socket[?db=database]`. `valkey:` is the same as `redis:`. Special
    ///     characters of the password are percent-encoded. The default port is 6379, the default database 0.
    ///   - prefix: The beginning of all keys. Default: `larkspur:`.
    ///   - connectTimeout: The time for connecting, and again for each part of the replies to the first commands.
    ///     Default: one second.
    ///   - stepTimeout: The time for a step, at most a million seconds. Default: one second.
    ///   - maximumValueSize: The largest number of bytes of a value, at most 512 MiB. Default: 1 MiB.
    /// - Throws: ``RedisStoreError`` with the code `invalidURL`; `unsupported` for `rediss:`, which needs TLS;
    ///   `connectionFailed` if the process has no file descriptors left.
    public init(
        _ url: String,
        prefix: String = "larkspur:",
        connectTimeout: Duration = .seconds(1),
        stepTimeout: Duration = .seconds(1),
        maximumValueSize: Int = 1 << 20
    ) throws {
        self.prefix = prefix
        box = try StepBox(
            RedisAddress(url),
            connectTimeout: connectTimeout,
            stepTimeout: stepTimeout,
            maximumValueSize: maximumValueSize
        )
    }

    /// Creates a store, as ``init(_:prefix:connectTimeout:stepTimeout:maximumValueSize:)`` does.
    /// - Parameters:
    ///   - url: The server.
    ///   - prefix: The beginning of all keys. Default: `larkspur:`.
    ///   - connectTimeout: The time for connecting, and again for each part of the replies to the first commands.
    ///     Default: one second.
    ///   - stepTimeout: The time for a step, at most a million seconds. Default: one second.
    ///   - maximumValueSize: The largest number of bytes of a value, at most 512 MiB. Default: 1 MiB.
    /// - Throws: ``RedisStoreError`` with the code `invalidURL`; `unsupported` for `rediss:`, which needs TLS;
    ///   `connectionFailed` if the process has no file descriptors left.
    public convenience init(
        _ url: URL,
        prefix: String = "larkspur:",
        connectTimeout: Duration = .seconds(1),
        stepTimeout: Duration = .seconds(1),
        maximumValueSize: Int = 1 << 20
    ) throws {
        try self.init(
            url.absoluteString,
            prefix: prefix,
            connectTimeout: connectTimeout,
            stepTimeout: stepTimeout,
            maximumValueSize: maximumValueSize
        )
    }

    deinit { box.post(.stop) }

    // MARK: Values

    /// Returns the value of a key; nil if there is none, or if its lifetime has ended.
    /// - Throws: ``RedisStoreError``, `CancellationError`.
    public func value(for key: String) async throws -> SharedValue? {
        let limit = Array("\(box.maximumValueSize)".utf8)
        let answer = try await perform(.script(.readValue, key: name("value", key), [limit]))
        if case .integer(let size) = answer.reply { throw tooLarge(size: size) }
        return try result(of: answer, "value") { $0.value }
    }

    /// Replaces a value, unless another process has replaced it first (compare and set).
    /// - Parameters:
    ///   - key: The key.
    ///   - version: The version of the value that is replaced; nil if there must be no value yet.
    ///   - data: The new value; nil to remove the value.
    ///   - lifetime: The time after which the new value is removed; nil for none.
    /// - Returns: Whether the value was replaced. If not, the present value has another version.
    /// - Throws: ``RedisStoreError``, `CancellationError`.
    public func replaceValue(
        for key: String,
        version: SharedValue.Version?,
        with data: Data?,
        lifetime: Duration?
    ) async throws -> Bool {
        if let data, data.count > box.maximumValueSize { throw tooLarge(size: Int64(data.count)) }
        let arguments = [
            Array((version?.text ?? "").utf8),
            Array((data == nil ? "" : Self.uniqueName()).utf8),
            Array((lifetime.map { "\($0.count(of: .milliseconds(1), .up))" } ?? "").utf8),
            Array(data ?? Data()),
        ]
        let answer = try await perform(.script(.replaceValue, key: name("value", key), arguments))
        let isReplaced = try result(of: answer, "replaceValue") { $0.flag }
        if !isReplaced, answer.wasRepeated {
            throw RedisStoreError(
                .connectionLost,
                RedisStoreError.lossText(box.address),
                mayHaveBeenPerformed: true
            )
        }
        return isReplaced
    }

    // MARK: Buckets

    /// Takes a token from a bucket (the generic cell rate algorithm). The interval is rounded up to
    /// nanoseconds, so that the rate is never higher. The bucket has as many tokens as without the rounding.
    /// - Parameters:
    ///   - key: The key of the bucket.
    ///   - bucket: The rate and the size of the bucket.
    ///   - limit: The longest delay that the caller accepts.
    /// - Returns: The time until the token may be used: zero, or the time until the rate allows it. If this time is
    ///   longer than `limit`, no token was taken.
    /// - Throws: ``RedisStoreError``, `CancellationError`. A token may have been taken.
    public func takeToken(for key: String, from bucket: SharedBucket, within limit: Duration) async throws -> Duration {
        let nanosecond = Duration.nanoseconds(1)
        let numbers = [
            bucket.interval.count(of: nanosecond, .up), bucket.capacity.nanoseconds(forRounded: bucket.interval),
            bucket.tolerance.count(of: nanosecond, .down), limit.count(of: nanosecond, .down),
        ]
        let arguments = numbers.map { Array("\($0)".utf8) }
        let answer = try await perform(.script(.takeToken, key: name("bucket", key), arguments))
        return try result(of: answer, "takeToken") { $0.delay }
    }

    // MARK: Leases

    /// Acquires a lease, if no other holder has it.
    /// - Parameters:
    ///   - key: The key of the lease.
    ///   - duration: The time after which the lease expires, unless it is renewed or released.
    /// - Throws: ``RedisStoreError``, `CancellationError`.
    public func acquireLease(for key: String, duration: Duration) async throws -> SharedLease.Attempt {
        let name = name("lease", key)
        let holder = Array(Self.uniqueName().utf8)
        let answer = try await perform(
            .script(.acquireLease, key: name, [holder, Self.microseconds(duration)]),
            undo: RedisStep.Undo(command: .script(.releaseLease, key: name, [holder]), duration: duration)
        )
        return try result(of: answer, "acquireLease") { $0.attempt(for: key) }
    }

    /// Lets a lease expire later: `duration` from now. Returns false if the lease has already expired, or has another
    /// holder.
    /// - Throws: ``RedisStoreError``, `CancellationError`.
    public func renew(_ lease: SharedLease, duration: Duration) async throws -> Bool {
        let arguments = [Array("\(lease.number)".utf8), Self.microseconds(duration)]
        let answer = try await perform(.script(.renewLease, key: name("lease", lease.key), arguments))
        return try result(of: answer, "renew") { $0.flag }
    }

    /// Releases a lease. Has no effect if it has already expired, or has another holder.
    /// - Throws: ``RedisStoreError``, `CancellationError`.
    public func release(_ lease: SharedLease) async throws {
        let arguments = [Array("\(lease.number)".utf8)]
        let answer = try await perform(.script(.releaseLease, key: name("lease", lease.key), arguments))
        _ = try result(of: answer, "release") { $0.flag }
    }

    // MARK: Steps

    /// Measures the time of a `PING`, a round trip without a script. Steps are expected to take about as long.
    /// - Throws: ``RedisStoreError``, `CancellationError`.
    public func ping() async throws -> Duration {
        let start = ContinuousClock.now
        let answer = try await perform(.plain([Array("PING".utf8)]))
        _ = try result(of: answer, "ping") { $0 == .status("PONG") ? true : nil }
        return start.duration(to: .now)
    }

    /// Performs a step, and returns the reply, which may be an error.
    /// - Parameter undo: The undo of the step, if the call ends without its reply.
    func perform(_ command: RedisStep.Command, undo: RedisStep.Undo? = nil) async throws -> RedisStep.Answer {
        try Task.checkCancellation()
        let id = box.newID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let step = RedisStep(
                    command: command,
                    undo: undo,
                    continuation: continuation
                )
                box.post(.step(id, step))
                // The handler may have run before the step was there.
                if Task.isCancelled { box.post(.cancel(id)) }
            }
        } onCancel: {
            box.post(.cancel(id))
        }
    }

    /// Returns the result in a reply.
    /// - Throws: `refused` for an error of the server, `invalidReply` for a reply of another form.
    private func result<Result>(
        of answer: RedisStep.Answer,
        _ step: String,
        _ decode: (RedisReply) -> Result?
    ) throws -> Result {
        if case .error(let text) = answer.reply { throw RedisStoreError(reply: text, of: description) }
        guard let result = decode(answer.reply) else {
            throw RedisStoreError(
                .invalidReply,
                "\(description) has sent an unexpected reply to the step \(step).",
                mayHaveBeenPerformed: true
            )
        }
        return result
    }

    private func tooLarge(size: Int64) -> RedisStoreError {
        let limit = box.maximumValueSize
        return RedisStoreError(
            .valueTooLarge,
            "A value for \(description) has \(size) bytes, and the limit is \(limit)."
        )
    }

    private func name(_ kind: String, _ key: String) -> [UInt8] { Array("\(prefix)\(kind):\(key)".utf8) }

    private static func microseconds(_ duration: Duration) -> [UInt8] {
        Array("\(duration.count(of: .microseconds(1), .up))".utf8)
    }

    /// A text of 128 random bits.
    private static func uniqueName() -> String {
        let halves = [UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max)]
        return halves.map { String($0, radix: 36) }.joined(separator: "-")
    }
}

extension RedisStore: CustomReflectable {
    /// The description alone, so that `dump` and a debugger do not show the password.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RedisStoreError {
    static func lossText(_ address: RedisAddress) -> String {
        "\(address.description) has closed the connection before it replied."
    }
}
