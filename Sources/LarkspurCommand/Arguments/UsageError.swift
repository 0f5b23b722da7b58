/// An error in the arguments of the command line, or in a file that they name.
struct UsageError: Error, Equatable {
    /// One sentence without a final line break.
    let message: String

    init(_ message: String) { self.message = message }
}
