extension LarkspurError.Code {
    /// A command line is not a valid curl command; see ``CurlCommand``.
    public static let invalidCommand = Self(label: "invalid-command", number: NSURLErrorBadURL)
}
