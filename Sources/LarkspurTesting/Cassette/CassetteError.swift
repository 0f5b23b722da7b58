public import Foundation

/// The reason why a cassette's file cannot be read or written.
public struct CassetteError: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The reason in one sentence, with the file and the position in it.
    public let description: String
    /// The sentence of ``description``.
    public var errorDescription: String? { description }

    init(_ description: String) { self.description = description }
}
