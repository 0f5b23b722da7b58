internal import Foundation
import HTTPSyntax

/// Routes that generate any number of bytes and lines.
extension BuiltInRoutes {
    mutating func addGeneratedData() {
        add("/bytes/{n}") { .data(try Self.randomBytes($0)) }
        add("/stream-bytes/{n}") { request in
            let size = try request.number("chunk_size", 1...Self.maximumByteCount, default: 10 * 1_024)
            let bytes = try Self.randomBytes(request)
            return .chunked(stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] })
        }
        add("/stream/{n}") { request in
            let lines = try (0..<request.number("n", 0...10_000)).map { id in
                let document = Echo(request).document([.url, .args, .headers, .origin]).merging(["id": id]) { $1 }
                return try Echo.bytes(of: document) + Data("\n".utf8)
            }
            return .chunked(lines, contentType: "application/json")
        }
        add("/range/{n}") { request in
            let count = try request.number("n", 0...Self.maximumByteCount)
            let size = try request.number("chunk_size", 1...Self.maximumByteCount, default: max(count, 1))
            let bytes = Self.alphabet(count)
            let chunks = stride(from: 0, to: count, by: size).map { bytes[$0..<min($0 + size, count)] }
            let pause = try request.seconds("duration", default: .zero) / max(chunks.count, 1)
            var response = Response.stream(
                chunks.flatMap { pause > .zero ? [.pause(pause), .bytes($0)] : [.bytes($0)] }
            )
            response.headers["ETag"] = "\"range\(count)\""
            response.acceptsRanges = true
            return response
        }
    }

    /// Returns random bytes. The path has their number. Requests with the same `seed` get the same bytes.
    private static func randomBytes(_ request: Request) throws -> Data {
        let count = try request.number("n", byteCounts)
        let seed = try request.number("seed", Int.min...Int.max, default: Int.random(in: 0..<Int.max))
        var generator = SplitMix64(seed: UInt64(bitPattern: Int64(seed)))
        let words = (0..<(count + 7) / 8).map { _ in generator.next().littleEndian }
        return words.withUnsafeBytes { Data($0.prefix(count)) }
    }

    /// Returns the letters from a to z repeatedly, as in httpbin.
    private static func alphabet(_ count: Int) -> Data {
        Data((0..<count).lazy.map { UInt8(ascii: "a") + UInt8($0 % 26) })
    }
}

/// The generator SplitMix64, which creates the same bytes for the same seed on every platform.
private struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
