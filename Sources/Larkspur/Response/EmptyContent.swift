/// A type that has a value for a response without content.
///
/// Optionals have one (nil), and so does ``Empty``. Add the conformance to a type of your own if it has a natural empty
/// value.
public protocol EmptyContentRepresentable {
    /// The value for a response without content.
    static var emptyContent: Self { get }
}

extension Optional: EmptyContentRepresentable {
    /// The value nil.
    public static var emptyContent: Wrapped? { nil }
}

/// The value of a response whose content is not needed: `.decodable(Empty.self)` for a 204, or for JSON that the
/// program does not read.
public struct Empty: Codable, Hashable, Sendable, EmptyContentRepresentable {
    /// The only value.
    public static let emptyContent = Empty()

    /// Creates the only value.
    public init() {}

    /// Accepts any content.
    public init(from decoder: any Decoder) throws {}
}
