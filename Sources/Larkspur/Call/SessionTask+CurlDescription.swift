extension SessionTask {
    /// Returns a command line for curl that sends the task's current request; see
    /// `cURLDescription(redaction:)` of `URLRequest`. It is `curl` alone if the task has no request yet.
    /// - Parameter redaction: The rule by which secrets are hidden. Default: ``Redaction/standard``.
    public func cURLDescription(redaction: Redaction = .standard) -> String {
        (currentRequest ?? originalRequest)?.cURLDescription(redaction: redaction) ?? "curl"
    }
}
