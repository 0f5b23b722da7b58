extension LarkspurError.Code {
    /// A command line cannot be read as one for curl; see ``CurlCommand``.
    public static let invalidCommand = Self(label: "invalid-command", number: NSURLErrorBadURL)
}
