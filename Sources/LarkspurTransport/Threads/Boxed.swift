#if canImport(FoundationNetworking)
/// A value that is stored outside its owner, because the value is large and most owners have none.
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

/// A value that one thread passes to another thread. Only the receiving thread uses the value.
struct Transferring<Value>: @unchecked Sendable {
    // Safe: the code that creates an instance does not use the value afterwards.
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// A queue. Elements are taken in the order in which they were added.
struct Line<Element> {
    /// The elements. Elements that were taken are nil.
    private var elements: [Element?] = []
    private var takenCount = 0

    var isEmpty: Bool { takenCount == elements.count }

    /// The number of elements in memory, including elements that were taken.
    var storedCount: Int { elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func take() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[takenCount].take()
        takenCount += 1
        // The removal moves all remaining elements. So it takes place only when the number of taken elements has
        // reached the number of remaining elements. Then the cost per element is small.
        if takenCount * 2 >= elements.count {
            elements.removeFirst(takenCount)
            takenCount = 0
        }
        return element
    }
}
#endif
