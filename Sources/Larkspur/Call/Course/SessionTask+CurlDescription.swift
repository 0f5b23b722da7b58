extension SessionTask {
    /// Returns a command line for curl that sends the task's current request; see `cURLDescription(redaction:)` of
    /// `URLRequest`. If the task has no request yet, the result is only `curl`.
    /// - Parameter redaction: The rule by which secrets are hidden. Default: ``Redaction/standard``.
    public func cURLDescription(redaction: Redaction = .standard) -> String {
        (currentRequest ?? originalRequest)?.cURLDescription(redaction: redaction) ?? "curl"
    }
}
