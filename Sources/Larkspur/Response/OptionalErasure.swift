/// Something that may hold a value: `Optional`, seen through `Any`.
private protocol AnyOptional {
    var erasedPayload: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var erasedPayload: Any? { self }
}

/// The value with every layer of `Optional` taken off that its static type hides; nil where one of them is empty.
func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any AnyOptional else { return value }
    return optional.erasedPayload.flatMap(unwrapped)
}
