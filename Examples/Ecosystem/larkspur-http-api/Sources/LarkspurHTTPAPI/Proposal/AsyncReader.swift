/// A source of elements that fills a buffer of its own, and lends the buffer to a closure of the caller.
///
/// The end of the elements comes with a conclusion, such as the trailers of a response. The last elements and the
/// conclusion may come together.
public protocol AsyncReader<ReadElement, ReadFailure, FinalElement>: ~Copyable, ~Escapable {
    /// An element.
    associatedtype ReadElement: ~Copyable
    /// The buffer that is lent.
    associatedtype Buffer: RangeReplaceableContainer<ReadElement> & ~Copyable
    /// The error of the source.
    associatedtype ReadFailure: Error
    /// The conclusion.
    associatedtype FinalElement: ~Copyable = Void

    /// Waits for elements or for the end, and calls a closure.
    /// - Parameter body: Gets the buffer and, at the end, the conclusion; nil before it. Elements that it leaves in the
    ///   buffer are there again in the next call.
    /// - Returns: The value of the closure.
    /// - Throws: The error of the source, or that of the closure.
    mutating func read<Return: ~Copyable, Failure: Error>(
        body: (inout Buffer, consuming FinalElement?) async throws(Failure) -> Return
    ) async throws(EitherError<ReadFailure, Failure>) -> Return
}

extension AsyncReader where Self: ~Copyable, Self: ~Escapable {
    /// Reads to the end, and calls a closure with each buffer that has elements.
    /// - Parameter body: Consumes the elements of the buffer.
    /// - Returns: The conclusion.
    /// - Throws: The error of the source, or that of the closure.
    public consuming func forEachBuffer<Failure: Error>(
        body: (inout Buffer) async throws(Failure) -> Void
    ) async throws(EitherError<ReadFailure, Failure>) -> FinalElement? {
        var conclusion: FinalElement?
        var isOver = false
        while !isOver {
            try await read { (buffer, final) throws(Failure) in
                if !buffer.isEmpty { try await body(&buffer) }
                switch consume final {
                case .some(let final):
                    conclusion = consume final
                    isOver = true
                case .none: break
                }
            }
        }
        return conclusion
    }

    /// Reads to the end, and adds the elements to a container.
    /// - Parameter container: The container, which never gets more than its free capacity.
    /// - Returns: The conclusion.
    /// - Throws: The error of the source, or ``AsyncReaderLeftOverElementsError`` if there are more elements.
    public consuming func collect<Container: RangeReplaceableContainer<ReadElement> & ~Copyable & ~Escapable>(
        into container: inout Container
    ) async throws(EitherError<ReadFailure, AsyncReaderLeftOverElementsError>) -> FinalElement {
        try await readToEnd { (buffer, _) throws(AsyncReaderLeftOverElementsError) in
            guard buffer.count <= container.freeCapacity else { throw AsyncReaderLeftOverElementsError() }
            buffer.move(to: &container)
        }
    }

    /// Reads to the end, and fills a container exactly.
    /// - Parameter container: The container, whose free capacity is the number of elements.
    /// - Returns: The conclusion.
    /// - Throws: The error of the source, ``AsyncReaderLeftOverElementsError`` if there are more elements, or
    ///   ``AsyncReaderInsufficientElementsError`` if there are fewer.
    public consuming func collect<Container: RangeReplaceableContainer<ReadElement> & ~Copyable & ~Escapable>(
        exactlyInto container: inout Container
    ) async throws(EitherError<
        ReadFailure, EitherError<AsyncReaderLeftOverElementsError, AsyncReaderInsufficientElementsError>
    >) -> FinalElement {
        typealias Mismatch = EitherError<AsyncReaderLeftOverElementsError, AsyncReaderInsufficientElementsError>
        return try await readToEnd { (buffer, isLast) throws(Mismatch) in
            guard buffer.count <= container.freeCapacity else { throw .first(AsyncReaderLeftOverElementsError()) }
            let isShort = isLast && buffer.count < container.freeCapacity
            if isShort { throw .second(AsyncReaderInsufficientElementsError()) }
            buffer.move(to: &container)
        }
    }

    /// Reads to the end, and adds the elements to a container that grows.
    /// - Parameters:
    ///   - container: The container.
    ///   - maximumSize: The maximum number of elements that are added.
    /// - Returns: The conclusion.
    /// - Throws: The error of the source, or ``AsyncReaderLeftOverElementsError`` if there are more elements.
    public consuming func collect<Container: DynamicContainer<ReadElement> & ~Copyable>(
        into container: inout Container,
        maximumSize: Int
    ) async throws(EitherError<ReadFailure, AsyncReaderLeftOverElementsError>) -> FinalElement {
        var room = maximumSize
        return try await readToEnd { (buffer, _) throws(AsyncReaderLeftOverElementsError) in
            guard buffer.count <= max(0, room) else { throw AsyncReaderLeftOverElementsError() }
            room -= buffer.count
            buffer.move(to: &container)
        }
    }

    /// Reads to the end, and calls a closure with each buffer, and whether it is the last one.
    private consuming func readToEnd<Failure: Error>(
        _ body: (inout Buffer, Bool) throws(Failure) -> Void
    ) async throws(EitherError<ReadFailure, Failure>) -> FinalElement {
        while true {
            let conclusion = try await read { (buffer, final) throws(Failure) -> FinalElement? in
                try body(&buffer, final != nil)
                return final
            }
            switch consume conclusion {
            case .some(let conclusion): return conclusion
            case .none: break
            }
        }
    }
}

extension RangeReplaceableContainer where Self: ~Copyable, Self: ~Escapable {
    /// Moves all elements to the end of another container.
    fileprivate mutating func move<Container: RangeReplaceableContainer<Element> & ~Copyable & ~Escapable>(
        to container: inout Container
    ) {
        var drain = consumeAll()
        while let element = drain.next() { container.append(element) }
    }
}

/// The error of a reader that has more elements than a container has room for.
public struct AsyncReaderLeftOverElementsError: Error, Hashable {
    /// Creates the error.
    public init() {}
}

/// The error of a reader that has fewer elements than a container has room for.
public struct AsyncReaderInsufficientElementsError: Error, Hashable {
    /// Creates the error.
    public init() {}
}

/// One of two errors: that of a source, or that of a closure which the source has called.
public enum EitherError<First: Error, Second: Error>: Error {
    /// The error of the source.
    case first(First)
    /// The error of the closure.
    case second(Second)

    /// Throws the error itself.
    public func unwrap() throws -> Never {
        switch self {
        case .first(let error): throw error
        case .second(let error): throw error
        }
    }
}

extension EitherError: Equatable where First: Equatable, Second: Equatable {}
