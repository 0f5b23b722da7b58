import Larkspur

/// The body of a request.
enum ComposedBody: Sendable {
    case none
    case data(Data)
    /// A file, which is read while it is sent.
    case file(URL, length: Int64)
    /// A multipart form, whose files are read while they are sent.
    case form(MultipartFormData)
    /// Bytes of standard input, whose number is unknown.
    case stream(URL)

    /// The length as the request announces it: nil without a body, and an inner nil if it is unknown.
    var length: Int64?? {
        switch self {
        case .none: nil
        case .data(let data): .some(Int64(data.count))
        case .file(_, let length): .some(length)
        case .form(let form): .some(form.contentLength)
        case .stream: .some(nil)
        }
    }

    /// Creates a stream of the body; nil for a body that is in memory.
    func makeStream() -> InputStream? {
        switch self {
        case .none, .data: nil
        case .file(let url, _), .stream(let url): InputStream(url: url)
        case .form(let form): form.makeInputStream()
        }
    }

    /// Returns the request with the body.
    func attached(to request: URLRequest, isChunked: Bool) -> URLRequest {
        var request = request
        if case .data(let data) = self, !isChunked {
            request.httpBody = data
            return request
        }
        if case .data(let data) = self {
            request.httpBodyStream = InputStream(data: data)
        } else if let stream = makeStream() {
            request.httpBodyStream = stream
            if !isChunked, let length = length ?? nil {
                request.setValue(String(length), forHTTPHeaderField: "Content-Length")
            }
        }
        return request
    }
}
