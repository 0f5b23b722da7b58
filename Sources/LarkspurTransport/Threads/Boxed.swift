#if canImport(FoundationNetworking)
/// A value that is stored outside of its owner, because it is large and most owners have none.
///
/// The wrapper is as large as a pointer. Copies of the owner share the value until one of them changes it.
@propertyWrapper
struct Boxed<Value> {
    fileprivate enum Storage {
        case none
        indirect case some(Value)
    }

    private var storage: Storage

    init(wrappedValue: Value? = nil) { storage = wrappedValue.map { .some($0) } ?? .none }

    var wrappedValue: Value? {
        get {
            if case .some(let value) = storage { value } else { nil }
        }
        set { self = Boxed(wrappedValue: newValue) }
    }
}

extension Boxed.Storage: Sendable where Value: Sendable {}

extension Boxed: Sendable where Value: Sendable {}
#endif
