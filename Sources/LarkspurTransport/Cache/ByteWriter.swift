#if canImport(FoundationNetworking)
/// A writer of numbers and text in sequence, for ``ByteReader`` to read.
struct ByteWriter {
    private(set) var data = Data()

    mutating func write(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }

    mutating func write(_ date: Date) { write(date.timeIntervalSince1970.bitPattern) }

    mutating func write(_ text: String) {
        let bytes = text.utf8
        write(UInt64(bytes.count))
        data.append(contentsOf: bytes)
    }

    mutating func write(_ text: String?) {
        write(text == nil ? 0 : 1)
        if let text { write(text) }
    }
}
#endif
