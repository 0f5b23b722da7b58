internal import CHiredis
internal import Larkspur

/// A reply of a server.
enum RedisReply: Sendable, Equatable {
    case string(Data)
    case status(String)
    case integer(Int64)
    case null
    case error(String)
    case array([RedisReply])
    /// A reply of a type that servers send only to clients that have asked for it.
    case other(Int32)

    /// Copies a reply of hiredis.
    init(_ reply: redisReply) {
        switch reply.type {
        case REDIS_REPLY_STRING: self = .string(Self.data(reply))
        case REDIS_REPLY_STATUS: self = .status(String(decoding: Self.data(reply), as: UTF8.self))
        case REDIS_REPLY_ERROR: self = .error(String(decoding: Self.data(reply), as: UTF8.self))
        case REDIS_REPLY_INTEGER: self = .integer(reply.integer)
        case REDIS_REPLY_NIL: self = .null
        case REDIS_REPLY_ARRAY:
            let elements = UnsafeBufferPointer(start: reply.element, count: reply.elements)
            self = .array(elements.map { element in element.map { RedisReply($0.pointee) } ?? .null })
        default: self = .other(reply.type)
        }
    }

    private static func data(_ reply: redisReply) -> Data {
        reply.str.map { Data(bytes: $0, count: reply.len) } ?? Data()
    }

    /// Whether the server does not know the script of the command, and has done nothing.
    var isUnknownScript: Bool {
        if case .error(let text) = self { text.hasPrefix("NOSCRIPT") } else { false }
    }

    /// Whether the server is a replica, as after a failover. A new connection may reach the primary server.
    var isFromReplica: Bool {
        // Redis before 7.0 has the reply to a command of a script within its own text.
        if case .error(let text) = self { text.hasPrefix("READONLY") || text.contains(" -READONLY ") } else { false }
    }
}

// The results of the scripts; nil for a reply that they do not return.
extension RedisReply {
    /// The value of a hash with a version and data. The outer nil is an invalid reply, the inner nil an absent value.
    var value: SharedValue?? {
        guard case .array(let fields) = self, fields.count == 2 else { return nil }
        switch (fields[0], fields[1]) {
        case (.null, .null): return .some(nil)
        case (.string(let version), .string(let data)):
            guard let text = String(data: version, encoding: .utf8) else { return nil }
            return SharedValue(data: data, version: .init(text))
        default: return nil
        }
    }

    /// A Boolean value as the integer 0 or 1.
    var flag: Bool? {
        switch self {
        case .integer(0): false
        case .integer(1): true
        default: nil
        }
    }

    /// A delay in nanoseconds.
    var delay: Duration? {
        guard case .integer(let number) = self, number >= 0 else { return nil }
        return .nanoseconds(number)
    }

    /// The result of an attempt to acquire a lease: its number, or the time in microseconds for which another holder
    /// has it.
    func attempt(for key: String) -> SharedLease.Attempt? {
        guard case .array(let fields) = self, fields.count == 2, let isAcquired = fields[0].flag,
            case .integer(let number) = fields[1], number >= 0
        else { return nil }
        return isAcquired
            ? .acquired(SharedLease(key: key, number: UInt64(number))) : .held(.microseconds(number))
    }
}
