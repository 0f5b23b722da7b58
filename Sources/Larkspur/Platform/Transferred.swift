/// A value that one queue made and others only read.
///
/// The value that a response serializer returns need not be `Sendable` (a JSON object, an XML document). A function
/// whose result is `sending` makes it on the processing queue, so that nothing else holds it; from then on the
/// completion queue alone has it.
struct Transferred<Value>: @unchecked Sendable {
    // Safe: nothing writes the value after it is boxed, and its maker keeps no reference.
    let value: Value

    init(_ value: sending Value) { self.value = value }

    private init(shared value: Value) { self.value = value }

    /// What a function reads out of the value, in a box of its own; nil if it finds nothing.
    func compactMap<Part>(_ read: (Value) -> Part?) -> Transferred<Part>? {
        read(value).map { Transferred<Part>(shared: $0) }
    }
}
