/// (to be completed)
public struct RequestSettings: Sendable {
    /// (to be completed)
    public init() {}
}
