#if canImport(FoundationNetworking)
extension ResponseHead {
    /// Makes the response that URLSession's users get; nil only if Foundation refuses to make one, which no version
    /// does.
    func makeResponse(url: URL) -> HTTPURLResponse? {
        EngineResponse(url: url, statusCode: status, httpVersion: version, fields: fields)
            ?? HTTPURLResponse(url: url, statusCode: status, httpVersion: version, headerFields: fields)
    }
}
#endif
