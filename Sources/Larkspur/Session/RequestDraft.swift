/// The parts of a request as a caller names them, before it is built.
struct RequestDraft {
    let method: HTTPMethod
    let url: any RequestTarget
    var parameters: [String: Any]?
    var body: RequestBody?
    var headers: HTTPHeaders?

    init(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        _ parameters: [String: Any]? = nil,
        _ body: RequestBody? = nil,
        _ headers: HTTPHeaders? = nil
    ) {
        self.method = method
        self.url = url
        self.parameters = parameters
        self.body = body
        self.headers = headers
    }

    /// The reference by which the request is remembered, if it is a GET request without parameters, body and fields;
    /// nil for other calls.
    var plainReference: String? {
        method == .get && parameters == nil && body == nil && headers == nil ? url as? String : nil
    }
}
