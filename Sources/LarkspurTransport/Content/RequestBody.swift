#if canImport(FoundationNetworking)
/// The content of a request, as its task received it.
enum RequestBody: Sendable {
    case none
    case data(Data)
    case file(URL)
    /// A stream, which is read once: that of the request, if it has one. Otherwise, and each time that the content must
    /// be sent again, the delegate provides one.
    case stream(Transferring<InputStream>?)

    /// Takes the content of the request itself.
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
