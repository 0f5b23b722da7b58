#if canImport(FoundationNetworking)
/// A value that one thread passes to another. Only the receiving thread uses it.
struct Transferring<Value>: @unchecked Sendable {
    // Safe: the code that creates an instance does not use the value afterwards.
    let value: Value

    init(_ value: Value) { self.value = value }
}
#endif
