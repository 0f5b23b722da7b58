#if canImport(FoundationNetworking)
extension URLRequest {
    /// Adds those of the fields that the request does not have itself.
    func adding(_ fields: [String: String]) -> URLRequest {
        var request = self
        for (name, value) in fields where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    /// Returns the request with its task's content as a stream, as `URLProtocol` classes get it on Apple platforms.
    func streaming(_ body: RequestBody) -> URLRequest {
        var request = self
        switch body {
        case .data(let data) where !data.isEmpty: request.httpBodyStream = InputStream(data: data)
        case .file(let file): request.httpBodyStream = InputStream(url: file)
        case .none, .data, .stream: break
        }
        return request
    }
}
#endif
