internal import Foundation

/// The DEFLATE format (RFC 1951), with only stored blocks.
enum Deflate {
    private static let maximumBlockSize = 65_535

    static func storedBlocks(_ data: Data) -> Data {
        var result = Data(capacity: data.count + 5 * (data.count / maximumBlockSize + 1))
        var rest = data[...]
        repeat {
            let block = rest.prefix(maximumBlockSize)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            result.append(rest.isEmpty ? 1 : 0)
            for word in [length, ~length] {
                result.append(contentsOf: [UInt8(word & 0xFF), UInt8(word >> 8)])
            }
            result.append(block)
        } while !rest.isEmpty
        return result
    }
}
