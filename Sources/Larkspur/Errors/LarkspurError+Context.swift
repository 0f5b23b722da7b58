extension LarkspurError {
    /// The same error with what is known about the transfer filled in where it says nothing itself.
    package func filled(request: URLRequest?, response: URLResponse?, responseData: Data?) -> LarkspurError {
        var error = self
        error.request = self.request ?? request
        error.response = self.response ?? response
        error.responseData = self.responseData ?? responseData
        return error
    }
}
