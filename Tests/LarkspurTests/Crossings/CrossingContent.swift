#if canImport(FoundationNetworking)
import Foundation
import Larkspur

/// The content of a call's request. It begins with the marker of its call, and each part of it differs from the others,
/// so that the server sees what belongs to another call, begins in the middle, or is there twice.
struct CrossingContent: Sendable {
    /// The chunks in which it is produced.
    let chunks: [Data]
    let bytes: Data
    /// The number of bytes of each chunk, if the chunks may arrive in any order.
    let blockSize: Int?
    /// Whether its production may end after any chunk.
    let mayEndEarly: Bool

    /// The boundary of forms.
    static let boundary = "crossing"
    private static let chunkSize = 100_000

    init(_ crossing: Crossing, marker: String, call: Int) throws {
        let endsEarly = crossing.order?.action == .finish
        mayEndEarly = endsEarly
        guard crossing.body == .writers else {
            blockSize = nil
            let whole = Self.text(marker, count: Self.size(crossing, call))
            chunks = stride(from: 0, to: whole.count, by: Self.chunkSize).map {
                Data(whole[$0..<min($0 + Self.chunkSize, whole.count)])
            }
            bytes = crossing.body == .form ? try Self.form(whole).data() : whole
            return
        }
        // Those that end early are as large as the buffers between the writers and the server.
        let (count, size) =
            switch crossing.size {
            case .empty: (0, 1)
            case .byte: (1, 1)
            case .medium: (8, 8_192)
            case .large: endsEarly ? (3, 2 << 20) : (18, 65_536)
            }
        chunks = (0..<count).map { Self.text("\(marker)/\($0)", count: size) }
        bytes = chunks.reduce(into: Data()) { $0 += $1 }
        blockSize = size
    }

    /// Whether bytes may be those of the content from an offset on.
    func isPart(_ received: Data, at offset: Int) -> Bool {
        blockSize != nil || bytes.dropFirst(offset).prefix(received.count) == received
    }

    /// Whether bytes that have an end are the content.
    func isWhole(_ received: Data) -> Bool {
        let received = Data(received)
        guard let blockSize else { return received == bytes || mayEndEarly && isPart(received, at: 0) }
        var left = chunks
        for start in stride(from: 0, to: received.count, by: blockSize) {
            let block = received[start..<min(start + blockSize, received.count)]
            guard let index = left.firstIndex(where: { $0 == block }) else { return false }
            left.remove(at: index)
        }
        return left.isEmpty || mayEndEarly
    }

    static func form(_ content: Data) throws -> MultipartFormData {
        var form = MultipartFormData()
        form.boundary = try MultipartBoundary(boundary)
        form.append(data: content, name: "a")
        return form
    }

    private static func size(_ crossing: Crossing, _ call: Int) -> Int {
        switch crossing.size {
        case .empty: 0
        case .byte: 1
        case .medium: 65_536 + call
        case .large: (1 << 20) + 100_000 + call
        }
    }

    /// The marker, and numbered lines behind it.
    private static func text(_ marker: String, count: Int) -> Data {
        (Data("\(marker);".utf8) + lines.prefix(count)).prefix(count).asWhole
    }

    /// The lines "0000000", "0000001" and so on.
    private static let lines: Data = {
        var lines = Data(capacity: 1 << 21)
        var digits = [UInt8](repeating: UInt8(ascii: "0"), count: 7) + [10]
        while lines.count < 1 << 21 {
            lines.append(contentsOf: digits)
            var place = 6
            while digits[place] == UInt8(ascii: "9") {
                digits[place] = UInt8(ascii: "0")
                place -= 1
            }
            digits[place] += 1
        }
        return lines
    }()
}

extension Data {
    /// A copy whose first index is 0.
    fileprivate var asWhole: Data { Data(self) }
}
#endif
