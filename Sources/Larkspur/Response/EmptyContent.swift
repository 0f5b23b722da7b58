/// A type that has a value for a response without content.
///
/// Optionals have one (nil), and ``Empty`` has; conform a type of your own where it has a natural one.
public protocol EmptyContentRepresentable {
    /// The value that a response without content stands for.
    static var emptyContent: Self { get }
}

extension Optional: EmptyContentRepresentable {
    /// Nil.
    public static var emptyContent: Wrapped? { nil }
}

/// The value of a response whose content does not matter: `.decodable(Empty.self)` for a 204, or for any JSON that
/// nobody reads.
public struct Empty: Codable, Hashable, Sendable, EmptyContentRepresentable {
    /// The only value.
    public static let emptyContent = Empty()

    /// Makes the only value.
    public init() {}

    /// Accepts whatever there is.
    public init(from decoder: any Decoder) throws {}
}
