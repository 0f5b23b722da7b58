#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The format of a file with one entry. It begins with a magic number, the lengths of the head and the content, and a
/// checksum of head and content. The head and the content follow.
enum CacheFile {
    private static let magic: UInt64 = 0x3165_6863_614B_534C
    private static let prefixLength = 32
    private static let nameExtension = ".entry"

    /// Returns the unique name of an entry's file. Entries for the same URL share a prefix.
    static func name(of entry: CacheEntry) -> String {
        let hash = SHA256.hash(Data(entry.variantKey.utf8)).hexadecimal
        return prefix(Checksum.of(entry.url)) + hash + nameExtension
    }

    private static func prefix(_ sum: UInt64) -> String {
        withUnsafeBytes(of: sum.bigEndian) { $0.hexadecimal } + "-"
    }

    /// Reads the checksum of the URL from the name of a file; nil if it is not a name of an entry's file.
    static func sum(ofName name: String) -> UInt64? {
        let bytes = name.utf8
        guard bytes.count == 17 + 64 + nameExtension.utf8.count, name.ends(with: nameExtension) else { return nil }
        return UInt64(name.prefix(16), radix: 16)
    }

    static func encode(_ entry: CacheEntry) -> Data {
        let head = entry.encodedHead
        var writer = ByteWriter()
        writer.write(magic)
        writer.write(UInt64(head.count))
        writer.write(UInt64(entry.content.count))
        writer.write(sum(head, entry.content))
        var data = writer.data
        data.reserveCapacity(data.count + head.count + entry.content.count)
        data.append(head)
        data.append(entry.content)
        return data
    }

    /// Decodes the entry of a file; nil if the file is incomplete or damaged.
    static func decode(_ data: Data) -> CacheEntry? {
        var reader = ByteReader(data.prefix(prefixLength))
        guard reader.readNumber() == magic, let headLength = reader.readNumber(),
            let contentLength = reader.readNumber(), let sum = reader.readNumber()
        else { return nil }
        let parts = data.dropFirst(prefixLength)
        guard headLength <= UInt64(parts.count), UInt64(parts.count) - headLength == contentLength else { return nil }
        let head = parts.prefix(Int(headLength))
        let content = parts.dropFirst(Int(headLength))
        guard self.sum(head, content) == sum else { return nil }
        return CacheEntry(encodedHead: head, content: Data(content))
    }

    private static func sum(_ head: Data, _ content: Data) -> UInt64 {
        var sum = Checksum()
        head.withUnsafeBytes { sum.add($0) }
        content.withUnsafeBytes { sum.add($0) }
        return sum.value
    }
}
#endif
