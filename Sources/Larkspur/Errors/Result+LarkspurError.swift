extension Result where Failure == LarkspurError {
    /// The error of a failure.
    var error: LarkspurError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
