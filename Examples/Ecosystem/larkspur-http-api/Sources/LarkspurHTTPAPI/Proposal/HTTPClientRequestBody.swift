public import Foundation
public import HTTPTypes

/// The content of a request, as a closure that writes it.
///
/// The closure writes with the writer that it gets, and ends the content with one of the methods `finish`. It may be
/// called several times, because a redirect, a retry or a lost connection sends the content again.
public struct HTTPClientRequestBody<Writer: CallerAsyncWriter & ~Copyable>: Sendable
where Writer: SendableMetatype, Writer.WriteElement == UInt8, Writer.FinalElement == HTTPFields? {
    private enum Production {
        case fromStart(@Sendable (consuming Writer) async throws -> Void)
        case fromOffset(@Sendable (Int64, consuming Writer) async throws -> Void)
    }

    /// The number of bytes; nil if it is not known.
    public let knownLength: Int64?
    private let production: Production

    /// Whether the closure can write the content from any byte on.
    public var isSeekable: Bool {
        if case .fromOffset = production { true } else { false }
    }

    /// Creates content that is always written from its beginning.
    /// - Parameters:
    ///   - knownLength: The number of bytes. Default: nil, if it is not known.
    ///   - body: The closure that writes the content.
    public static func restartable(
        knownLength: Int64? = nil,
        _ body: @escaping @Sendable (consuming Writer) async throws -> Void
    ) -> Self {
        Self(knownLength: knownLength, production: .fromStart(body))
    }

    /// Creates content that can be written from any byte on.
    /// - Parameters:
    ///   - knownLength: The number of bytes of the whole content. Default: nil, if it is not known.
    ///   - body: The closure that writes the content from an offset on.
    public static func seekable(
        knownLength: Int64? = nil,
        _ body: @escaping @Sendable (Int64, consuming Writer) async throws -> Void
    ) -> Self {
        Self(knownLength: knownLength, production: .fromOffset(body))
    }

    /// Creates content from data.
    public static func data(_ data: Data) -> Self {
        .seekable(knownLength: Int64(data.count)) { offset, writer in
            var rest = UniqueArray(copying: data.dropFirst(Int(clamping: offset)))
            try await writer.finish(buffer: &rest)
        }
    }

    /// Writes the content.
    /// - Parameter writer: The destination.
    /// - Throws: The error of the closure.
    public func produce(into writer: consuming Writer) async throws {
        switch production {
        case .fromStart(let body): try await body(writer)
        case .fromOffset(let body): try await body(0, writer)
        }
    }

    /// Writes the content from an offset on.
    /// - Parameters:
    ///   - offset: The number of bytes that are left out.
    ///   - writer: The destination.
    /// - Throws: ``NotSeekable``, if the content can only be written from its beginning and the offset is not 0, or the
    ///   error of the closure.
    public func produce(offset: Int64, into writer: consuming Writer) async throws {
        switch production {
        case .fromStart(let body):
            guard offset == 0 else { throw NotSeekable() }
            try await body(writer)
        case .fromOffset(let body): try await body(offset, writer)
        }
    }

    /// The error of content that can only be written from its beginning.
    public struct NotSeekable: Error, Hashable {}
}
