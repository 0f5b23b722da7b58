/// A protocol of `Optional` alone, by which an optional within `Any` is recognized.
private protocol AnyOptional {
    var erasedPayload: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var erasedPayload: Any? { self }
}

/// Returns the value without the layers of `Optional` that its static type hides; nil if one of them is empty.
func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any AnyOptional else { return value }
    return optional.erasedPayload.flatMap(unwrapped)
}
