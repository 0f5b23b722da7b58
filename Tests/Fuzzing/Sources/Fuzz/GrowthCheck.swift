import Foundation

/// The check that the cost of a target is proportional to the length of its input.
///
/// Like `ByteInputs`, it tries every byte repeated, and pairs of the bytes that grammars treat in different ways. Each
/// input of a corpus is repeated, too, so the inputs that the fuzzer has found are examined.
struct GrowthCheck {
    private let target: FuzzTarget
    private let length: Int

    /// - Parameters:
    ///   - target: The target.
    ///   - length: The length of the longest input of the first measurement, in bytes. A suspicious input is measured
    ///     again with four times this length.
    init(_ target: FuzzTarget, length: Int) {
        self.target = target
        self.length = length
    }

    /// Returns the inputs whose cost grows too fast, and the number of all inputs.
    /// - Parameter corpus: Further inputs and their names.
    func excesses(corpus: [(bytes: [UInt8], name: String)]) -> (excesses: [String], count: Int) {
        guard let work = target.measured else { return ([], 0) }
        var count = 0
        var excesses = ByteInputs.excesses(upTo: length) { bytes in
            count += 1
            work(bytes)
        }
        count /= 2
        for (bytes, name) in corpus where !bytes.isEmpty {
            for (way, make) in Self.repetitions(of: bytes) {
                count += 1
                guard Growth.isSuspicious(of: make, upTo: length, work) else { continue }
                let factor = Growth.factor(of: make, upTo: length * 4, work)
                if factor >= Growth.linear { excesses.append("\(name) \(way): \(factor)") }
            }
        }
        return (excesses, count)
    }

    /// The whole input repeated, and only its last half repeated, because a beginning often decides how the rest is
    /// read.
    private static func repetitions(of bytes: [UInt8]) -> [(String, (Int) -> [UInt8])] {
        let half = bytes.count / 2
        let all = { (size: Int) in Array(repeatElement(bytes, count: max(1, size / bytes.count)).joined()) }
        guard half > 0 else { return [("repeated", all)] }
        let rest = Array(bytes[half...])
        let end = { (size: Int) in
            Array(bytes[..<half]) + Array(repeatElement(rest, count: max(1, size / rest.count)).joined())
        }
        return [("repeated", all), ("with its end repeated", end)]
    }
}
