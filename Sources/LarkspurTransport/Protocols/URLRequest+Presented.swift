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

    /// Returns the request with its task's content, as `URLProtocol` classes get it: content in memory as its body, as
    /// from FoundationNetworking, and a file as a stream. A request has one or the other.
    func presenting(_ body: RequestBody) -> URLRequest {
        var request = self
        switch body {
        case .data(let data) where !data.isEmpty: request.httpBody = data
        case .file(let file): request.httpBodyStream = FileStream(file)
        case .none, .data, .stream: break
        }
        return request
    }
}
#endif
