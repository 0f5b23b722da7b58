/// (to be completed)
public struct ResponseValidation: Sendable {
    /// (to be completed)
    public init() {}
}
