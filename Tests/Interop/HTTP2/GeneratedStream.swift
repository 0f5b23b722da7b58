#if canImport(FoundationNetworking)
import Foundation
import TestSupport

/// A response over HTTP/2 from a grammar of frames, as a play of `MisbehavingServer`, with the outcome that follows.
struct GeneratedStream: Sendable, CustomStringConvertible {
    /// The part of the connection that a deviation affects.
    enum Reach: Sendable {
        case stream, connection
    }

    let seed: UInt64
    let method: String
    private(set) var steps: [String] = []
    private(set) var status = 200
    /// The number of bytes of content.
    private(set) var count = 0
    private(set) var trailers: [String: String]?
    /// Whether the stream may be reported as complete.
    private(set) var mayComplete = true
    /// Whether the stream may be reported as failed.
    private(set) var mayFail = false

    /// - Parameter reach: The largest reach of a deviation.
    init(seed: UInt64, reach: Reach) {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        method = random.isOne(in: 10) ? "HEAD" : "GET"
        for _ in 0..<max(0, random.number(-4...3)) { addInterim(&random) }
        status = random.one(of: 200, 200, 200, 200, 201, 204, 304, 404, 500)
        if method == "HEAD" || status == 204 || status == 304 {
            steps.append("headend:\(status)" + fields(&random))
        } else {
            addContent(&random)
        }
        if random.isOne(in: 2) { deviate(reach, &random) }
    }

    var description: String { "\(method) \(steps.joined(separator: " "))" }

    // MARK: Frames

    private func fields(_ random: inout SeededGenerator) -> String {
        let values = ["a", "", "1 2", String(repeating: "v", count: random.number(1...3_000))]
        let names = (0..<random.number(0...3)).map { "x-\($0)=" + random.one(of: values) }
        return (["x-seed=\(seed)"] + names).map { ":" + $0 }.joined()
    }

    private mutating func addInterim(_ random: inout SeededGenerator) {
        let status = random.one(of: 100, 102, 103)
        steps.append(
            random.isOne(in: 2) ? "head:\(status):link=a" : "split:\(status):\(random.number(4...9)):link=aaaaaaaa"
        )
    }

    private mutating func addContent(_ random: inout SeededGenerator) {
        let sizes = (0..<random.number(0...6)).map { _ in
            random.one(of: 0, 1, 10, 255, 3_000, random.number(0...16_000))
        }
        count = sizes.reduce(0, +)
        let length = random.isOne(in: 3) ? ":content-length=\(count)" : ""
        let fields = length + fields(&random)
        // nghttp2 takes eight CONTINUATION frames for an attack.
        let block = random.number(fields.utf8.count / 5 + 5...fields.utf8.count + 40)
        steps.append((random.isOne(in: 3) ? "split:\(status):\(block)" : "head:\(status)") + fields)
        let hasTrailers = random.isOne(in: 4)
        for (index, size) in sizes.enumerated() {
            for _ in 0..<max(0, random.number(-2...2)) { steps.append(random.one(of: Self.harmless)) }
            let padding = random.one(of: 0, 0, 0, 1, 255)
            steps.append("\(index == sizes.count - 1 && !hasTrailers ? "last" : "data"):\(size):\(padding)")
        }
        if hasTrailers {
            steps.append("trailers:x-trailer=\(seed)")
            trailers = ["x-trailer": "\(seed)"]
        } else if sizes.isEmpty {
            steps.append("last:0")
        }
        // After the end of the stream, its frames and those of the connection change nothing.
        if random.isOne(in: 4) { steps.append(random.one(of: "rst:0", "rst:8", "send", "frame:8:0:0:00000001")) }
    }

    /// Frames between those of a response that mean nothing for it: PRIORITY, WINDOW_UPDATE, PING, SETTINGS, and frames
    /// of an unknown type. `send` is a border between segments.
    private static let harmless = [
        "send", "send", "frame:2:0:this:0000000010", "frame:8:0:this:00000001", "frame:8:0:0:00000001",
        "frame:6:0:0:0102030405060708", "frame:4:0:0:", "frame:4:0:0:000300000064", "frame:99:255:this:0102",
        "frame:99:0:0:00", "data:0:0", "data:0:200", "goaway:2147483647:0",
    ]

    // MARK: Deviations

    /// Frames that end only their stream.
    private static let streamFaults = [
        "rst:0", "rst:1", "rst:2", "rst:5", "rst:8", "rst:11", "frame:8:0:this:7fffffff", "frame:3:0:this:00000000",
    ]
    /// Frames that end the connection: faulty ones, an early end, and a promise that the client has forbidden.
    private static let connectionFaults = [
        "close", "abort", "send close", "goaway:below:2 close", "goaway:0:0 close", "goaway:this:11 close",
        "frame:3:0:this:000000", "frame:8:0:this:00", "frame:6:0:0:00", "raw:ff0000000000000001",
        "frame:8:0:0:7fffffff", "frame:8:0:0:00000000", "frame:1:5:this:80", "frame:0:0:99:00", "frame:0:0:0:00",
        "frame:9:4:this:00", "frame:1:0:this:88 data:5", "raw:485454502f312e3120323030204f4b0d0a0d0a",
        "frame:4:0:0:0000", "frame:5:4:this:0000000288", "frame:0:8:this:ff00", "frame:7:0:0:00",
    ]

    private mutating func deviate(_ reach: Reach, _ random: inout SeededGenerator) {
        guard let head = steps.firstIndex(where: { $0.contains("x-seed") }) else { return }
        // The step with END_STREAM.
        let end = steps.lastIndex { ["last", "trai", "head"].contains($0.prefix(4)) } ?? head
        let kind = random.number(0...5)
        if kind == 0, reach == .connection {
            // The number of bytes of the frames is not known here.
            steps.insert("cut:\(random.one(of: random.number(9...200), random.number(9...20_000)))", at: 0)
            mayFail = true
        } else if kind == 1, end > head, !steps[head].contains("content-length"), status != 204 {
            let wrong = count + random.one(of: 1, 2, 1_000)
            steps[head] += ":content-length=\(wrong)"
            mayComplete = false
            mayFail = true
        } else {
            let faults = reach == .connection && !random.isOne(in: 3) ? Self.connectionFaults : Self.streamFaults
            guard end > head else { return }
            // Behind the header section, and before END_STREAM. What follows the fault is not sent.
            let place = random.number(head + 1...end)
            steps.removeSubrange(place...)
            // Content that has its announced length is whole, but nothing says that no trailers were to follow.
            mayComplete = steps[head].contains("content-length") && sentCount == count
            mayFail = true
            steps += random.one(of: faults).split(separator: " ").map(String.init)
        }
    }
}

extension GeneratedStream {
    /// The number of bytes of content that the steps send.
    private var sentCount: Int {
        var sum = 0
        for step in steps where step.hasPrefix("data:") || step.hasPrefix("last:") {
            sum += Int(step.split(separator: ":")[1]) ?? 0
        }
        return sum
    }
}

extension SeededGenerator {
    fileprivate mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    fileprivate mutating func isOne(in count: Int) -> Bool { number(1...count) == 1 }

    fileprivate mutating func one<Value>(of values: Value...) -> Value { values[number(0...values.count - 1)] }

    fileprivate mutating func one<Value>(of values: [Value]) -> Value { values[number(0...values.count - 1)] }
}
#endif
