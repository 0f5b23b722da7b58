#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing

/// Responses over HTTP/2 that are broken off, in every way that frames allow: never a success.
@Suite("HTTP/2: truncation", .needsTrustedHTTP2, .timeLimit(.minutes(5)))
struct HTTP2TruncationTests {
    private let server: MisbehavingServer

    init() throws { server = try MisbehavingServer() }

    /// The steps after which a response is over that has not ended.
    static let endings = [
        "rst:0", "rst:1", "rst:2", "rst:5", "rst:7", "rst:8", "rst:11", "rst:13",
        "goaway:below:0", "goaway:below:2", "goaway:0:0 close", "goaway:this:0 close", "goaway:this:11 close",
        "goaway:below:0 rst:0",
        "close", "abort", "rst:0 close",
        // A frame too short, too long for its kind, too long at all; a window that overflows; a block that cannot be
        // decoded; frames on streams that are idle or 0; a continuation without a beginning, a frame between a header
        // section and its continuation; junk, and a response of HTTP/1.1.
        "frame:3:0:this:000000", "frame:8:0:this:00", "frame:6:0:0:00", "raw:ff0000000000000001",
        "frame:8:0:0:7fffffff",
        "frame:8:0:this:7fffffff", "frame:8:0:0:00000000", "frame:1:5:this:80", "frame:0:0:99:00", "frame:0:0:0:00",
        "frame:9:4:this:00", "frame:1:0:this:88 data:5", "raw:ffffffffffffffffffffffffffffffffff",
        "raw:485454502f312e3120323030204f4b0d0a0d0a", "frame:4:0:0:0000", "frame:5:4:this:0000000288",
        "frame:0:8:this:ff00",
        "frame:2:0:0:0000000000", "frame:7:0:0:00",
    ]

    @Test("In every style of loading, only END_STREAM completes a response", arguments: endings, LoadingStyle.allCases)
    func allEndings(_ ending: String, _ style: LoadingStyle) async throws {
        let url = try server.url("head:200 data:10 " + ending)
        await #expect(throws: (any Error).self) { _ = try await style.load(url, from: server) }
    }

    @Test("After all received content was read, only END_STREAM completes a response", arguments: endings)
    func laterEndings(_ ending: String) async throws {
        let name = UUID().uuidString
        let url = try server.url("head:200 data:10 wait:\(name) " + ending)
        let other = server.makeSession()
        let signal = try server.url("signal:\(name) headend:204")
        let collector = FirstBytes { other.dataTask(with: signal).resume() }
        try await collector.load(url, in: server.makeSession(delegate: collector))
        #expect(collector.error != nil)
        #expect(collector.count == 10)
    }

    @Test(
        "Content that is shorter or longer than announced is an error",
        arguments: ["data:3 rst:0", "last:3", "last:9"]
    )
    func announced(_ ending: String) async throws {
        let url = try server.url("head:200:content-length=6 " + ending)
        await #expect(throws: (any Error).self) { _ = try await server.makeSession().reply(to: url) }
    }

    @Test("A connection that is closed at any byte before the last fails the response")
    func everyByte() async throws {
        let steps = "head:200 data:20 data:0 data:13:7 frame:2:0:this:000000000f last:10"
        let session = server.makeSession()
        var isComplete = false
        for length in 9..<1000 where !isComplete {
            do {
                isComplete = try await session.reply(to: server.url("cut:\(length) " + steps)).content.count == 43
                #expect(isComplete, "\(length) bytes are enough for a part")
            } catch is URLError {}
        }
        #expect(isComplete)
    }

    @Test("Complete streams may share the connection with incomplete streams", arguments: 0..<8)
    func interleaved(_ seed: UInt64) async throws {
        var generator = SplitMix(state: seed)
        let session = server.makeSession()
        let scripts = (0..<24).map { _ in Script(using: &generator) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for script in scripts {
                let url = try server.url(script.steps)
                group.addTask {
                    var count: Int?
                    var failure: (any Error)?
                    do { count = try await session.reply(to: url).content.count } catch { failure = error }
                    #expect(count == script.count, "\(script.steps): \(String(describing: failure))")
                }
            }
            try await group.waitForAll()
        }
    }

    /// A response in random frames, and how many bytes of content it has; nil if it is broken off.
    private struct Script: Sendable {
        var steps = ["head:200"]
        var count: Int?

        init(using generator: inout SplitMix) {
            var total = 0
            if Bool.random(using: &generator) { steps.insert("split:103:3:x=yyyyyyyyyyyy", at: 0) }
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                let length = Int.random(in: 0...3000, using: &generator)
                total += length
                steps.append("data:\(length):\(Int.random(in: 0...200, using: &generator))")
                if Bool.random(using: &generator) { steps.append("send") }
                if Int.random(in: 0..<4, using: &generator) == 0 { steps.append("frame:2:0:this:0000000010") }
            }
            let endings = [
                "last:0", "last:0 rst:0", "trailers:x-a=1", "last:0 rst:8", "rst:0", "rst:2", "rst:8", "rst:1",
            ]
            let ending = endings[Int.random(in: 0..<endings.count, using: &generator)]
            steps += ending.split(separator: " ").map(String.init)
            if !ending.hasPrefix("rst") { count = total }
        }
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    @Test(
        "An unaffected stream does not look complete when the connection fails",
        arguments: endings.filter { !$0.hasPrefix("rst") }
    )
    func innocent(_ ending: String) async throws {
        let session = server.makeSession()
        _ = try await server.echo(in: session)
        let name = UUID().uuidString
        let url = try server.url("head:200 data:10 wait:\(name) data:5 forever")
        let culprit = try server.url("head:200 data:10 signal:\(name) " + ending + " send close")
        async let first = session.reply(to: url)
        async let second = session.reply(to: culprit)
        let results = (try? await first, try? await second)
        #expect(results.0 == nil)
        #expect(results.1 == nil)
    }
}
#endif
