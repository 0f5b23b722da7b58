/// A container of elements that are consumed in order: the buffers of readers and writers.
///
/// It has the part of the proposed protocol of the same name that readers and writers use.
public protocol RangeReplaceableContainer<Element>: ~Copyable, ~Escapable {
    /// An element.
    associatedtype Element: ~Copyable
    /// The access to the elements that leave the container.
    associatedtype SubrangeConsumer: Drain<Element> & ~Copyable & ~Escapable

    /// The number of elements.
    var count: Int { get }
    /// The number of elements that can be appended without more memory.
    var freeCapacity: Int { get }
    /// Adds an element at the end.
    mutating func append(_ element: consuming Element)
    /// Removes all elements. Those that the caller does not take from the drain are discarded.
    @_lifetime(&self)
    mutating func consumeAll() -> SubrangeConsumer
}

extension RangeReplaceableContainer where Self: ~Copyable, Self: ~Escapable {
    /// Whether there are no elements.
    public var isEmpty: Bool { count == 0 }
}

/// A container that gets more memory when elements are appended.
public protocol DynamicContainer<Element>: RangeReplaceableContainer, ~Copyable {}

/// The elements that leave a container, in order.
public protocol Drain<Element>: ~Copyable, ~Escapable {
    /// An element.
    associatedtype Element: ~Copyable

    /// Returns as many elements as lie together in memory; an empty span at the end.
    @_lifetime(&self)
    mutating func drainNext() -> InputSpan<Element>
    /// Returns the next element; nil at the end.
    mutating func next() -> Element?
}

/// Elements that leave a container and lie together in memory.
public struct InputSpan<Element: ~Copyable>: ~Copyable, ~Escapable {
    /// The elements.
    public let span: Span<Element>

    @_lifetime(copy span)
    init(_ span: Span<Element>) { self.span = span }

    /// The number of elements.
    public var count: Int { span.count }
    /// Whether there are no elements.
    public var isEmpty: Bool { span.isEmpty }
}

/// An array that is not copied: the buffer of ``SessionHTTPClient`` and of its callers.
public struct UniqueArray<Element>: ~Copyable {
    private var elements: [Element]

    /// Creates an empty array.
    public init() { elements = [] }

    /// Creates an empty array.
    /// - Parameter minimumCapacity: The number of elements for which there is memory.
    public init(minimumCapacity: Int) {
        elements = []
        elements.reserveCapacity(minimumCapacity)
    }

    /// Creates an array with copies of elements.
    public init(copying elements: some Sequence<Element>) { self.elements = Array(elements) }

    /// Creates an array with copies of elements that lie together in memory.
    public init(copying elements: Span<Element>) {
        self.elements = elements.withUnsafeBufferPointer { Array($0) }
    }

    /// Creates an array with one element a number of times.
    public init(repeating element: Element, count: Int) { elements = Array(repeating: element, count: count) }

    /// The elements.
    public var span: Span<Element> {
        @_lifetime(borrow self)
        borrowing get { elements.span }
    }

    /// The element at an index from 0 on.
    public subscript(index: Int) -> Element { elements[index] }

    /// Adds copies of elements at the end.
    public mutating func append(copying elements: some Sequence<Element>) {
        self.elements.append(contentsOf: elements)
    }
}

extension UniqueArray: DynamicContainer {
    /// The number of elements.
    public var count: Int { elements.count }
    /// The number of elements that can be appended without more memory.
    public var freeCapacity: Int { elements.capacity - elements.count }

    /// Adds an element at the end.
    public mutating func append(_ element: consuming Element) { elements.append(element) }

    /// Removes all elements. Those that the caller does not take from the drain are discarded.
    @_lifetime(&self)
    public mutating func consumeAll() -> SubrangeConsumer {
        let leaving = elements
        elements = []
        return SubrangeConsumer(leaving)
    }

    /// The elements that leave an array.
    public struct SubrangeConsumer: Drain, ~Copyable, ~Escapable {
        private let elements: [Element]
        private var position = 0

        @_lifetime(immortal)
        fileprivate init(_ elements: [Element]) { self.elements = elements }

        /// Returns all elements that are left; an empty span at the end.
        @_lifetime(&self)
        public mutating func drainNext() -> InputSpan<Element> {
            let first = position
            position = elements.count
            return InputSpan(elements.span.extracting(first...))
        }

        /// Returns the next element; nil at the end.
        public mutating func next() -> Element? {
            guard position < elements.count else { return nil }
            defer { position += 1 }
            return elements[position]
        }
    }
}
