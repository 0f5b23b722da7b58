/// A description of a request and its response, in one line that is safe to log.
enum ExchangeDescription {
    /// Returns the line, for example `GET https://example.org/users -> 404, 12 bytes, unacceptable-status-code`.
    static func text(
        _ request: URLRequest?,
        _ response: URLResponse?,
        content: String,
        error: LarkspurError?
    ) -> String {
        let url = (request?.url ?? response?.url).map(LarkspurError.redacted) ?? "no URL"
        let status =
            (response as? HTTPURLResponse).map { String($0.statusCode) }
            ?? (response == nil ? "no response" : "response")
        let outcome = error?.label ?? "success"
        return "\(request?.httpMethod ?? "GET") \(url) -> \(status), \(content), \(outcome)"
    }
}

extension Result {
    var failure: Failure? {
        switch self {
        case .success: nil
        case .failure(let error): error
        }
    }
}

extension Result where Failure == LarkspurError {
    /// Returns the result with another value, or with the error of the conversion, to which request, response and
    /// content are added.
    func tryMap<NewSuccess>(
        _ transform: (Success) throws -> NewSuccess,
        request: URLRequest?,
        response: URLResponse?,
        data: Data?
    ) -> Result<NewSuccess, LarkspurError> {
        flatMap { value in
            do {
                return .success(try transform(value))
            } catch {
                return .failure(
                    ResponsePipeline.completed(error, request: request, response: response, data: data)
                )
            }
        }
    }
}
