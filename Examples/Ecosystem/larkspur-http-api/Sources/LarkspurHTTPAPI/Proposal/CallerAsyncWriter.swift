public import HTTPTypes

/// A destination of elements, which it takes out of a buffer of the caller.
///
/// The caller ends the elements with a conclusion, such as the trailers of a request. The end consumes the writer, so
/// that nothing can follow.
public protocol CallerAsyncWriter<WriteElement, WriteFailure, FinalElement>: ~Copyable, ~Escapable {
    /// An element.
    associatedtype WriteElement: ~Copyable
    /// The error of the destination.
    associatedtype WriteFailure: Error
    /// The conclusion.
    associatedtype FinalElement: ~Copyable = Void

    /// Writes all elements of a buffer, which is then empty. Returns when the destination has room for more.
    /// - Parameter buffer: The elements.
    mutating func write<Buffer: RangeReplaceableContainer<WriteElement> & ~Copyable>(
        buffer: inout Buffer
    ) async throws(WriteFailure)

    /// Writes the last elements and the conclusion.
    /// - Parameters:
    ///   - buffer: The last elements; may be empty.
    ///   - finalElement: The conclusion.
    consuming func finish<Buffer: RangeReplaceableContainer<WriteElement> & ~Copyable>(
        buffer: inout Buffer,
        finalElement: consuming FinalElement
    ) async throws(WriteFailure)
}

extension CallerAsyncWriter
where Self: ~Copyable, Self: ~Escapable, WriteElement == UInt8, FinalElement == HTTPFields? {
    /// Ends the content with trailers.
    /// - Parameter trailer: The trailers; nil for none.
    public consuming func finish(trailer: HTTPFields?) async throws(WriteFailure) {
        var nothing = UniqueArray<UInt8>()
        try await finish(buffer: &nothing, finalElement: trailer)
    }

    /// Ends the content without trailers.
    public consuming func finish() async throws(WriteFailure) { try await finish(trailer: nil) }

    /// Writes the last bytes, and ends the content without trailers.
    /// - Parameter buffer: The last bytes.
    public consuming func finish<Buffer: RangeReplaceableContainer<UInt8> & ~Copyable>(
        buffer: inout Buffer
    ) async throws(WriteFailure) {
        try await finish(buffer: &buffer, finalElement: nil)
    }
}
