#if canImport(FoundationNetworking)
/// A value that is passed from one thread to another, and that only the receiver uses.
struct Transferring<Value>: @unchecked Sendable {
    // Safe: the code that creates an instance does not use the value afterwards.
    let value: Value

    init(_ value: Value) { self.value = value }
}
#endif
