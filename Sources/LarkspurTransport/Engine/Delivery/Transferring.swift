#if canImport(FoundationNetworking)
/// Something that is handed from one thread to another, and is used by the receiver alone.
struct Transferring<Value>: @unchecked Sendable {
    // Safe: who makes one keeps no use of the value.
    let value: Value

    init(_ value: Value) { self.value = value }
}
#endif
