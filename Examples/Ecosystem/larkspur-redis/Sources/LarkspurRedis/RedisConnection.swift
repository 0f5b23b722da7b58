internal import CHiredis
internal import Larkspur

/// A connection of hiredis. Its functions are called here alone.
///
/// `@unchecked Sendable`: one thread at a time has the connection. The thread that connects hands it over to the
/// store's thread, and does not use it afterwards.
final class RedisConnection: @unchecked Sendable {
    private let context: UnsafeMutablePointer<redisContext>
    /// The digests of ``RedisScript/all``, which the server has returned.
    private(set) var digests: [[UInt8]] = []

    /// The file descriptor, to wait for.
    var descriptor: Int32 { context.pointee.fd }
    /// The number of bytes of a reply that has not arrived completely.
    var incompleteSize: Int { context.pointee.reader?.pointee.len ?? 0 }

    deinit { redisFree(context) }

    /// Connects, authenticates, chooses the database and loads the scripts. Blocks the thread: for the look-up of the
    /// name, for connecting and for each part of the replies, the last two at most for the limit.
    /// - Throws: `connectionFailed`.
    init(to address: RedisAddress, within limit: Duration) throws {
        let timeout = limit.timeval
        let new =
            switch address.server {
            case .host(let host, let port): redisConnectWithTimeout(host, port, timeout)
            case .socket(let path): redisConnectUnixWithTimeout(path, timeout)
            }
        guard let new else { throw Self.failure(of: address, "there is no memory") }
        // From here on deinit closes it.
        context = new
        guard new.pointee.err == 0 else { throw Self.failure(of: address, reason) }
        _ = fcntl(new.pointee.fd, F_SETFD, FD_CLOEXEC)
        redisSetTimeout(new, timeout)
        if case .host = address.server { redisEnableKeepAlive(new) }
        try setUp(address)
        // From here on the store's thread waits for the socket.
        new.pointee.flags &= ~REDIS_BLOCK
        _ = fcntl(new.pointee.fd, F_SETFL, fcntl(new.pointee.fd, F_GETFL) | O_NONBLOCK)
    }

    /// Sends all commands at once, so that they need one round trip.
    private func setUp(_ address: RedisAddress) throws {
        var commands: [[[UInt8]]] = []
        if let login = address.login {
            commands.append(["AUTH", login.user, login.password].compactMap { $0.map { Array($0.utf8) } })
        }
        if address.database != 0 { commands.append(["SELECT", "\(address.database)"].map { Array($0.utf8) }) }
        commands += RedisScript.all.map { ["SCRIPT", "LOAD", $0.text].map { Array($0.utf8) } }
        for command in commands { append(command) }
        let replies = try commands.map { _ in try blockingReply(address) }
        for case .error(let text) in replies { throw RedisStoreError(refusal: text, of: address.description) }
        digests = replies.suffix(RedisScript.all.count).compactMap { reply in
            if case .string(let digest) = reply, digest.count == 40 { Array(digest) } else { nil }
        }
        guard digests.count == RedisScript.all.count else {
            throw Self.failure(of: address, "it is no Redis server")
        }
    }

    private func blockingReply(_ address: RedisAddress) throws -> RedisReply {
        var reply: UnsafeMutableRawPointer?
        guard redisGetReply(context, &reply) == REDIS_OK, let reply else {
            throw Self.failure(of: address, reason)
        }
        return Self.take(reply)
    }

    /// Adds a command to those that ``write()`` sends.
    func append(_ arguments: [[UInt8]]) {
        // One buffer for all arguments. Its bytes may be any, as each argument has its length.
        let bytes = arguments.flatMap { $0 }
        let lengths = arguments.map(\.count)
        bytes.withUnsafeBytes { buffer in
            // An empty buffer may have no address.
            var next = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            var pointers: [UnsafePointer<CChar>?] = []
            for length in lengths {
                pointers.append(next)
                next = next?.advanced(by: length)
            }
            redisAppendCommandArgv(context, Int32(lengths.count), &pointers, lengths)
        }
    }

    /// Sends what the socket accepts.
    /// - Returns: Whether all is sent; nil if the connection is lost.
    func write() -> Bool? {
        var done: Int32 = 0
        guard redisBufferWrite(context, &done) == REDIS_OK else { return nil }
        return done != 0
    }

    /// Reads what the socket has. Returns false if the connection is lost.
    func read() -> Bool { redisBufferRead(context) == REDIS_OK }

    /// Returns the next reply that has arrived; nil if there is none.
    /// - Throws: `invalidReply`, if the bytes are no reply.
    func nextReply(_ address: RedisAddress) throws(RedisStoreError) -> RedisReply? {
        var reply: UnsafeMutableRawPointer?
        guard redisGetReplyFromReader(context, &reply) == REDIS_OK else {
            throw RedisStoreError(
                .invalidReply,
                "\(address.description) has sent no valid reply: \(reason).",
                mayHaveBeenPerformed: true
            )
        }
        return reply.map(Self.take)
    }

    private static func take(_ reply: UnsafeMutableRawPointer) -> RedisReply {
        defer { freeReplyObject(reply) }
        return RedisReply(reply.assumingMemoryBound(to: redisReply.self).pointee)
    }

    /// The message of hiredis, which has no arguments of commands.
    private var reason: String {
        // A read with a limit of time ends with this error.
        if context.pointee.err == REDIS_ERR_IO, errno == EAGAIN || errno == EWOULDBLOCK {
            return "it does not answer in time"
        }
        return withUnsafeBytes(of: context.pointee.errstr) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static func failure(of address: RedisAddress, _ reason: String) -> RedisStoreError {
        RedisStoreError(.connectionFailed, "\(address.description) cannot be reached: \(reason).")
    }
}

extension Duration {
    /// At least a millisecond, as zero would be no limit.
    fileprivate var timeval: timeval {
        let limited = min(max(self, .milliseconds(1)), .seconds(1_000_000))
        let (seconds, attoseconds) = limited.components
        return .init(tv_sec: Int(seconds), tv_usec: .init(attoseconds / 1_000_000_000_000))
    }
}
