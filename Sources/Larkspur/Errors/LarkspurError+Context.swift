extension LarkspurError {
    /// Returns the same error, whose missing request, response and content are filled in from the transfer.
    package func filled(request: URLRequest?, response: URLResponse?, responseData: Data?) -> LarkspurError {
        var error = self
        error.request = self.request ?? request
        error.response = self.response ?? response
        error.responseData = self.responseData ?? responseData
        return error
    }
}
