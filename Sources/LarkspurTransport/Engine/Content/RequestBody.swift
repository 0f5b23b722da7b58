#if canImport(FoundationNetworking)
/// The content of a request, as its task was given it.
enum RequestBody: Sendable {
    case none
    case data(Data)
    case file(URL)
    /// Read once from the stream of the request, if it has one; else, and each time that it must be sent again, the
    /// delegate is asked for one.
    case stream(Transferring<InputStream>?)

    /// The content of the request itself.
    init(of request: URLRequest) {
        if let data = request.httpBody {
            self = .data(data)
        } else if let stream = request.httpBodyStream {
            self = .stream(Transferring(stream))
        } else {
            self = .none
        }
    }
}
#endif
