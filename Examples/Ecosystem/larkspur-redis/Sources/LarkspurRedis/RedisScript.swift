/// A script that performs one step at the server. It uses one key, and takes the time from the server's clock.
struct RedisScript: Sendable, Equatable {
    /// The text in Lua.
    let text: String
    /// The index in ``all``.
    let index: Int

    static let all = [replaceValue, takeToken, acquireLease, renewLease, releaseLease, readValue]

    private init(_ index: Int, _ text: String) {
        self.index = index
        self.text = text
    }

    /// Lets a script that has read the clock write. Redis before 5.0 refuses this without the call, and other servers
    /// may not have it.
    private static let clock = """
        if redis.replicate_commands then redis.replicate_commands() end
        local time = redis.call('TIME')

        """

    /// Arguments: the version that is replaced, or an empty string; the new version, or an empty string to remove the
    /// value; the lifetime in milliseconds, or an empty string; the new data. Returns 1 if the value was replaced, and
    /// also if it already has the new version: then the same command was performed before.
    static let replaceValue = RedisScript(
        0,
        """
        local version = redis.call('HGET', KEYS[1], 'version') or ''
        if ARGV[2] ~= '' and version == ARGV[2] then return 1 end
        if version ~= ARGV[1] then return 0 end
        if ARGV[2] == '' then
            redis.call('DEL', KEYS[1])
            return 1
        end
        redis.call('HMSET', KEYS[1], 'version', ARGV[2], 'data', ARGV[4])
        if ARGV[3] == '' then
            redis.call('PERSIST', KEYS[1])
        else
            redis.call('PEXPIRE', KEYS[1], ARGV[3])
        end
        return 1
        """
    )

    /// Argument: the largest number of bytes. Returns the version and the data, or two nulls, or the number of bytes of
    /// larger data, which would occupy the connection.
    static let readValue = RedisScript(
        5,
        """
        local size = redis.call('HSTRLEN', KEYS[1], 'data')
        if size > tonumber(ARGV[1]) then return size end
        return redis.call('HMGET', KEYS[1], 'version', 'data')
        """
    )

    /// Arguments in nanoseconds: the interval, the capacity, the tolerance and the limit. The state has the time of its
    /// last change, in seconds and nanoseconds, and by how much the time at which the bucket is full was then ahead. So
    /// all differences are exact in Lua's numbers. If the server's clock is set back, no time has passed. A bucket
    /// without a state, or with a damaged one, is full, and gives a caller its whole tolerance. So the state stays for
    /// a minute longer than the caller's own tolerance needs it, as other callers may have greater ones. Returns the
    /// delay.
    static let takeToken = RedisScript(
        1,
        clock + """
            local seconds, nanoseconds = tonumber(time[1]), time[2] * 1000
            local interval, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
            local tolerance, limit = tonumber(ARGV[3]), tonumber(ARGV[4])
            local ahead, elapsed = -tolerance, 0
            local s, n, a = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+) (-?%d+)$')
            if s then
                elapsed = (seconds - s) * 1e9 + nanoseconds - n
                ahead = math.max(a - math.max(elapsed, 0), -tolerance)
            end
            local next = ahead + interval
            local delay = math.max(next - capacity, 0)
            if delay > limit then
                if elapsed >= 0 then return delay end
                next = ahead
            end
            local lifetime = math.ceil((next + math.max(tolerance, capacity)) / 1e6) + 60000
            redis.call('SET', KEYS[1], string.format('%.0f %.0f %.0f', seconds, nanoseconds, next),
                'PX', string.format('%.0f', lifetime))
            return delay
            """
    )

    /// The state of a lease: the last number, the name of the holder, and the time and the duration of the lease in
    /// microseconds.
    private static let lease =
        clock + """
            local now = time[1] * 1e6 + time[2]
            local state = redis.call('HMGET', KEYS[1], 'number', 'holder', 'time', 'duration')
            local number, start, duration = tonumber(state[1] or 0), tonumber(state[3] or 0), tonumber(state[4] or 0)
            local holder = state[2] or ''
            if start > now then
                start = now
                redis.call('HSET', KEYS[1], 'time', string.format('%.0f', start))
            end
            local rest = holder == '' and 0 or start + duration - now
            local function hold(name, duration)
                redis.call('HMSET', KEYS[1], 'number', string.format('%.0f', number), 'holder', name,
                    'time', string.format('%.0f', now), 'duration', duration)
                redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.ceil(duration / 1000) + 604800000))
            end

            """

    /// Arguments: the name of the holder, and the duration in microseconds. The number is the server's time in
    /// microseconds, so that numbers increase also after a loss of data. The last number is stored for seven days
    /// longer than the lease, for a clock that is set back. Returns 1 and the number, or 0 and the time until the lease
    /// expires.
    static let acquireLease = RedisScript(
        2,
        lease + """
            if rest > 0 and holder ~= ARGV[1] then return {0, rest} end
            if rest <= 0 then number = math.max(number + 1, now) end
            hold(ARGV[1], ARGV[2])
            return {1, number}
            """
    )

    /// Arguments: the number of the lease, and the duration in microseconds. Returns 1 if the lease was renewed.
    static let renewLease = RedisScript(
        3,
        lease + """
            if rest <= 0 or state[1] ~= ARGV[1] then return 0 end
            hold(holder, ARGV[2])
            return 1
            """
    )

    /// Argument: the number of the lease, or the name of its holder, which is no number. Returns 1 if the lease was
    /// released.
    static let releaseLease = RedisScript(
        4,
        lease + """
            if rest <= 0 or (state[1] ~= ARGV[1] and holder ~= ARGV[1]) then return 0 end
            hold('', '0')
            return 1
            """
    )
}
