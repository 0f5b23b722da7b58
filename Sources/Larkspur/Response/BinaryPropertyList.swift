/// The container structure of a binary property list: objects that refer to each other by number.
///
/// The format allows references that form a cycle, and a few hundred bytes that stand for a tree of 2^200 nodes. This
/// type examines only the references.
struct BinaryPropertyList {
    private static let deepest = 512
    private static let trailerLength = 32

    private let bytes: [UInt8]
    private let offsetLength: Int
    private let referenceLength: Int
    private let objectCount: Int
    private let top: Int
    private let table: Int

    static func isOne(_ data: Data) -> Bool { data.starts(with: Array("bplist".utf8)) }

    /// Reads the trailer; nil if it does not match the content.
    init?(_ data: Data) {
        bytes = [UInt8](data)
        guard bytes.count >= 8 + Self.trailerLength else { return nil }
        let trailer = bytes.count - Self.trailerLength
        offsetLength = Int(bytes[trailer + 6])
        referenceLength = Int(bytes[trailer + 7])
        guard
            (1...8).contains(offsetLength), (1...8).contains(referenceLength),
            let objectCount = Self.integer(bytes, at: trailer + 8, length: 8),
            let top = Self.integer(bytes, at: trailer + 16, length: 8),
            let table = Self.integer(bytes, at: trailer + 24, length: 8),
            top < objectCount, table <= trailer, objectCount <= (trailer - table) / offsetLength
        else { return nil }
        self.objectCount = objectCount
        self.top = top
        self.table = table
    }

    /// Whether every reference is valid, nesting stays within 512 levels (which excludes cycles), and the tree has no
    /// more nodes than a document of this size can need.
    var isTractable: Bool {
        var references = 0
        return isTractable(reading: &references)
    }

    /// Returns the value of ``isTractable``, and counts the references that were read. Their number is limited to those
    /// that fit into the bytes of the document, because no writer creates containers that share bytes.
    func isTractable(reading references: inout Int) -> Bool {
        let limit = 1_000_000 + 8 * bytes.count
        var sizes = [Int?](repeating: nil, count: objectCount)
        guard let children = children(of: top, reading: &references) else { return false }
        var path = [Visit(object: top, children: children)]
        while var visit = path.popLast() {
            guard let child = visit.children.popLast() else {
                if visit.size > limit { return false }
                sizes[visit.object] = visit.size
                if let parent = path.indices.last { path[parent].add(visit.size, limit: limit) }
                continue
            }
            guard child < objectCount else { return false }
            if let size = sizes[child] {
                visit.add(size, limit: limit)
                guard visit.size <= limit else { return false }
                path.append(visit)
            } else {
                path.append(visit)
                guard path.count < Self.deepest, let children = self.children(of: child, reading: &references)
                else { return false }
                path.append(Visit(object: child, children: children))
            }
        }
        return true
    }

    private struct Visit {
        let object: Int
        var children: [Int]
        var size = 1

        mutating func add(_ other: Int, limit: Int) { size = min(size + other, limit + 1) }
    }

    /// Returns the objects that an object refers to: none if it is not a container, nil if it is damaged or of an
    /// unknown type.
    private func children(of object: Int, reading read: inout Int) -> [Int]? {
        guard
            let offset = Self.integer(bytes, at: table + object * offsetLength, length: offsetLength), offset < table
        else { return nil }
        let perElement: Int
        switch bytes[offset] >> 4 {
        case 0xA: perElement = 1
        case 0xD: perElement = 2
        // Sets, nulls and URLs are not property list types. CoreFoundation reads them nevertheless, and crashes.
        case 0x0 where bytes[offset] & 0xE == 8, 0x1...0x6, 0x8: return []
        default: return nil
        }
        guard let (count, start) = countAndStart(at: offset), count <= table - start else { return nil }
        let references = count * perElement
        guard references <= (table - start) / referenceLength else { return nil }
        read += references
        guard read <= bytes.count / referenceLength else { return nil }
        var children: [Int] = []
        children.reserveCapacity(references)
        for index in 0..<references {
            guard
                let child = Self.integer(bytes, at: start + index * referenceLength, length: referenceLength)
            else { return nil }
            children.append(child)
        }
        return children
    }

    /// Returns the number of elements of the container at an offset, and the offset of the first.
    private func countAndStart(at offset: Int) -> (count: Int, start: Int)? {
        let nibble = bytes[offset] & 0xF
        guard nibble == 0xF else { return (Int(nibble), offset + 1) }
        guard offset + 1 < table, bytes[offset + 1] >> 4 == 1 else { return nil }
        let length = 1 << Int(bytes[offset + 1] & 0xF)
        guard length <= 8, let count = Self.integer(bytes, at: offset + 2, length: length) else { return nil }
        let start = offset + 2 + length
        return start <= table ? (count, start) : nil
    }

    private static func integer(_ bytes: [UInt8], at offset: Int, length: Int) -> Int? {
        guard offset >= 0, length <= 8, offset <= bytes.count - length else { return nil }
        let value = bytes[offset..<(offset + length)].reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
        return Int(exactly: value)
    }
}
