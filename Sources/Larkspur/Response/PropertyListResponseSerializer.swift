/// A serializer that parses the content as a property list into dictionaries, arrays, strings, numbers, dates and data.
///
/// If the content is empty the result is nil, without an error. Nesting deeper than 512 levels is rejected.
public struct PropertyListResponseSerializer: ResponseSerializer {
    /// The rules by which responses are acceptable. Default: status 200 to 299; application/x-plist.
    public var validation: ResponseValidation
    /// The options that make the containers mutable, or the containers and the leaves. On Linux they have no effect:
    /// the objects are Swift values. Default: none.
    public var readOptions: PropertyListSerialization.ReadOptions
    /// The formats that are accepted. Default: XML and binary.
    ///
    /// The OpenStep format is omitted, because in this format any single word, and the JSON text `{}`, is a property
    /// list.
    public var acceptableFormats: Set<PropertyListSerialization.PropertyListFormat>

    /// Creates a serializer.
    /// - Parameters:
    ///   - readOptions: The options that make the containers mutable, or the containers and the leaves. Default: none.
    ///   - acceptableFormats: The formats that are accepted. Default: XML and binary.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299; application/x-plist.
    public init(
        readOptions: PropertyListSerialization.ReadOptions = [],
        acceptableFormats: Set<PropertyListSerialization.PropertyListFormat> = [.xml, .binary],
        validation: ResponseValidation = ResponseValidation(acceptableContentTypes: .propertyList)
    ) {
        self.validation = validation
        self.readOptions = readOptions
        self.acceptableFormats = acceptableFormats
    }

    /// Parses the content.
    /// - Returns: The object, or nil if there is no content.
    /// - Throws: ``LarkspurError`` with the code `responseSerializationFailed`.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending Any? {
        if data.isEmpty { return nil }
        return try PropertyListContent.object(data, options: readOptions, formats: acceptableFormats)
    }
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
    /// A serializer that parses the content as a property list.
    public static var propertyList: PropertyListResponseSerializer { PropertyListResponseSerializer() }
}

/// Functions that read property lists from servers, and do not exhaust the stack or the memory.
enum PropertyListContent {
    private static let refusal = "The content is not a valid property list"

    /// Returns the object of a property list.
    static func object(
        _ data: Data,
        options: PropertyListSerialization.ReadOptions,
        formats: Set<PropertyListSerialization.PropertyListFormat>
    ) throws(LarkspurError) -> sending Any {
        try checkBinary(data)
        var format = PropertyListSerialization.PropertyListFormat.xml
        let object: Any
        do {
            object = try PropertyListSerialization.propertyList(from: data, options: options, format: &format)
        } catch {
            throw SerializationFailure.error(refusal, error)
        }
        guard formats.contains(format) else {
            throw LarkspurError(.responseSerializationFailed, "\(refusal): its format is not accepted")
        }
        return object
    }

    /// Returns the same property list in a form that `PropertyListDecoder` reads safely.
    ///
    /// On Linux the decoder follows nesting by recursion without a limit, and cycles without an end. The binary form is
    /// checked here. `PropertyListSerialization`, which has a limit, reads the XML form and writes it again. So the
    /// decoder reads only content that was checked.
    static func decodable(_ data: Data) throws(LarkspurError) -> Data {
        if BinaryPropertyList.isOne(data) {
            try checkBinary(data)
            return data
        }
        let object = try object(data, options: [], formats: [.xml])
        do {
            return try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        } catch {
            throw SerializationFailure.error(refusal, error)
        }
    }

    private static func checkBinary(_ data: Data) throws(LarkspurError) {
        guard BinaryPropertyList.isOne(data) else { return }
        guard BinaryPropertyList(data)?.isTractable == true else {
            throw LarkspurError(
                .responseSerializationFailed,
                "\(refusal): it is damaged, nested too deeply, or expands without bound"
            )
        }
    }
}

/// The container structure of a binary property list: objects that refer to each other by number.
///
/// In the format, references may form a cycle, and a few hundred bytes may describe a tree of 2^200 nodes. This type
/// examines only the references.
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

    /// Whether a parser can read the document safely: every reference is valid, the nesting is at most 512 levels
    /// (which excludes cycles), and the tree has no more nodes than a document of this size can need.
    var isTractable: Bool {
        var references = 0
        return isTractable(reading: &references)
    }

    /// Returns the value of ``isTractable``, and counts the references that were read. The result is false if the
    /// references need more bytes than the document has. This happens only if containers share bytes, and no writer
    /// creates such containers.
    func isTractable(reading references: inout Int) -> Bool {
        let limit = 1_000_000 + 8 * bytes.count
        var sizes = [Int?](repeating: nil, count: objectCount)
        guard let children = children(of: top, reading: &references) else { return false }
        // Uses a loop with an array instead of recursion, so that nesting does not use the stack.
        var path = [Visit(object: top, children: children)]
        while var visit = path.popLast() {
            guard let child = visit.children.popLast() else {
                if visit.size > limit { return false }
                sizes[visit.object] = visit.size
                if let parent = path.indices.last { path[parent].add(visit.size, limit: limit) }
                continue
            }
            guard child < objectCount else { return false }
            // An object that several containers share is visited once, and counted at each reference.
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

    /// Returns the objects that an object refers to. The array is empty if the object is not a container. The result is
    /// nil if the object is damaged or has an unknown type.
    private func children(of object: Int, reading read: inout Int) -> [Int]? {
        guard
            let offset = Self.integer(bytes, at: table + object * offsetLength, length: offsetLength), offset < table
        else { return nil }
        let perElement: Int
        switch bytes[offset] >> 4 {
        case 0xA: perElement = 1
        case 0xD: perElement = 2
        // Sets, nulls and URLs are not property list types, but CoreFoundation reads them and crashes.
        case 0x0 where bytes[offset] & 0xE == 8, 0x1...0x6, 0x8: return []
        default: return nil
        }
        guard let (count, start) = countAndStart(at: offset), count <= table - start else { return nil }
        // Cannot overflow: each element takes at least one byte of the content.
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

    /// Returns the number of elements of the container at an offset, and the offset of the first element.
    private func countAndStart(at offset: Int) -> (count: Int, start: Int)? {
        let nibble = bytes[offset] & 0xF
        guard nibble == 0xF else { return (Int(nibble), offset + 1) }
        guard offset + 1 < table, bytes[offset + 1] >> 4 == 1 else { return nil }
        // The low four bits are the exponent of the length of the count.
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
