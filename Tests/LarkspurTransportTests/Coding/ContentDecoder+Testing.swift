import Foundation

@testable import LarkspurTransport

extension ContentDecoder {
    /// Decodes all of a content, in chunks of so many bytes, for a consumer who takes everything.
    static func decode(
        _ content: Data,
        _ field: String,
        chunk: Int = .max,
        maximumExpansion: Int = 100,
        _ consume: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws -> Data? {
        guard let decoder = ContentDecoder(contentEncoding: field, maximumExpansion: maximumExpansion) else {
            return nil
        }
        var decoded = Data()
        var rest = content
        while !rest.isEmpty {
            try decoder.feed(rest.prefix(chunk)) {
                consume($0)
                decoded.append(contentsOf: $0)
                return true
            }
            rest = rest.dropFirst(chunk)
        }
        try decoder.finish()
        return decoded
    }

    func feed(_ data: Data, _ consume: (UnsafeRawBufferPointer) -> Bool) throws {
        let bytes = Array(data)
        try bytes.withUnsafeBytes { try decode($0, consume) }
    }
}
