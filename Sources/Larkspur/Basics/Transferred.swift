/// A value that one queue creates and other queues only read.
///
/// The value that a response serializer returns need not be `Sendable` (a JSON object, an XML document). A function
/// whose result is `sending` creates it on the processing queue, so that nothing else refers to it. From then on only
/// the completion queue uses it.
struct Transferred<Value>: @unchecked Sendable {
    // Safe: nothing changes the value after it is boxed, and its creator keeps no reference.
    let value: Value

    init(_ value: sending Value) { self.value = value }

    private init(shared value: Value) { self.value = value }

    /// Returns the part of the value that a function reads, in a separate box; nil if the function returns nil.
    func compactMap<Part>(_ read: (Value) -> Part?) -> Transferred<Part>? {
        read(value).map { Transferred<Part>(shared: $0) }
    }
}
