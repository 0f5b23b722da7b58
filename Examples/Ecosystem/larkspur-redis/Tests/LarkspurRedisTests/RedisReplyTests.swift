import Larkspur
import Testing

@testable import LarkspurRedis

@Suite("Replies", .timeLimit(.minutes(1)))
struct RedisReplyTests {
    @Test("A value has a version and any bytes")
    func values() {
        let data = Data([0, 13, 10, 255])
        let reply = RedisReply.array([.string(Data("v1".utf8)), .string(data)])
        #expect(reply.value == .some(SharedValue(data: data, version: .init("v1"))))
        #expect(RedisReply.array([.null, .null]).value == .some(nil))
    }

    @Test(
        "A reply of another form has no result",
        arguments: [
            .null, .integer(2), .integer(-1), .status("OK"), .array([]), .array([.null]), .error("ERR"),
            .array([.string(Data()), .null]), .array([.null, .string(Data())]), .other(9),
            .array([.string(Data([255])), .string(Data())]), .array([.integer(2), .integer(1)]),
            .array([.integer(1), .integer(-1)]), .array([.integer(1), .null]),
        ] as [RedisReply]
    )
    func invalid(reply: RedisReply) {
        #expect(reply.value == nil && reply.flag == nil && reply.attempt(for: "key") == nil)
        if reply != .integer(2) { #expect(reply.delay == nil) }
    }

    @Test("A lease is acquired with its number, or held for a time")
    func leases() {
        let acquired = RedisReply.array([.integer(1), .integer(1_700_000_000_000_000)])
        #expect(acquired.attempt(for: "a") == .acquired(SharedLease(key: "a", number: 1_700_000_000_000_000)))
        #expect(RedisReply.array([.integer(0), .integer(5)]).attempt(for: "a") == .held(.microseconds(5)))
        #expect(RedisReply.integer(7).delay == .nanoseconds(7))
        #expect(RedisReply.integer(1).flag == true && RedisReply.integer(0).flag == false)
    }

    @Test("The error of a reply has no arguments of the command")
    func errors() {
        let text = "ERR unknown command 'AUTH', with args beginning with: 's3cret'"
        let error = RedisStoreError(reply: text, of: "Redis at cache:6379")
        #expect(error.description == "Redis at cache:6379 has refused a command: ERR unknown command …")
        #expect(error.code == .refused && !error.mayHaveBeenPerformed)
        #expect(RedisStoreError(refusal: text, of: "Redis").code == .connectionFailed)
        #expect(!RedisStoreError(refusal: text, of: "Redis").description.contains("s3cret"))
    }

    @Test(
        "An error within a script may follow its first writes",
        arguments: [
            ("ERR The user executing the script can't run this command script: 1d0d, on @user_script:12.", true),
            ("ERR Error running script (call to f_1d0d): @user_script: 12: Unknown Redis command called", true),
            ("NOPERM this user has no permissions script: 1d0d, on @user_script:12.", true),
            ("NOPERM this user has no permissions to run the 'evalsha' command", false),
            ("NOSCRIPT No matching script. Please use EVAL.", false),
            ("OOM command not allowed script: 1d0d, on @user_script:20.", false),
            ("READONLY You can't write against a read only replica. script: 1d0d, on @user_script:20.", false),
            ("BUSY Redis is busy running a script.", false), ("ERR unknown command 'EVALSHA'", false),
        ]
    )
    func partialEffects(text: String, mayHaveBeenPerformed: Bool) {
        #expect(RedisStoreError(reply: text, of: "Redis").mayHaveBeenPerformed == mayHaveBeenPerformed)
    }

    @Test(
        "A server that has become a replica is recognized",
        arguments: [
            ("READONLY You can't write against a read only replica.", true),
            ("ERR Error running script (call to f_1d0d): @user_script:20: -READONLY You can't write …", true),
            ("ERR unknown command 'READONLY'", false), ("NOSCRIPT No matching script.", false),
        ]
    )
    func replicas(text: String, isFromReplica: Bool) {
        #expect(RedisReply.error(text).isFromReplica == isFromReplica)
        #expect(!RedisReply.status(text).isFromReplica)
    }

    @Test("A cluster is refused by name", arguments: ["MOVED 866 10.0.0.2:6379", "CLUSTERDOWN Hash slot not served"])
    func cluster(text: String) {
        let error = RedisStoreError(reply: text, of: "Redis")
        #expect(error.code == .unsupported && error.description.contains("cluster"))
    }

    @Test(
        "A bucket has as many tokens with a rounded interval",
        arguments: [
            (.seconds(1) / 3, 1, 333_333_334), (.seconds(1) / 3, 10, 3_333_333_340), (.seconds(2), 5, 10_000_000_000),
            (.nanoseconds(1) / 1000, 1_000_000_000, 1_000_000_000), (.zero, 1, 0),
            (.seconds(Int64.max), 1, 1 << 60), (Duration(secondsComponent: 0, attosecondsComponent: 1), 1, 1),
            (.seconds(1_000_000_000) / 3, 1_000_000_000, 1 << 60),
        ] as [(Duration, Int, Int64)]
    )
    func capacities(interval: Duration, burst: Int, capacity: Int64) {
        #expect((interval * burst).nanoseconds(forRounded: interval) == capacity)
    }

    @Test(
        "A duration is counted in units",
        arguments: [
            (.zero, 0, 0), (.nanoseconds(1), 0, 1), (.nanoseconds(1999), 1, 2), (.microseconds(2), 2, 2),
            (.seconds(-1), 0, 0), (.seconds(Int64.max), 1 << 60, 1 << 60),
        ] as [(Duration, Int64, Int64)]
    )
    func durations(duration: Duration, down: Int64, up: Int64) {
        #expect(duration.count(of: .microseconds(1), .down) == down)
        #expect(duration.count(of: .microseconds(1), .up) == up)
    }
}
