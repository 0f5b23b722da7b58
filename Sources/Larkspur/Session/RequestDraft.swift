/// The parts from which a request is built, as the caller has passed them.
struct RequestDraft {
    let method: HTTPMethod
    let url: any RequestTarget
    var parameters: Parameters?
    var body: RequestBody?
    var headers: HTTPHeaders?
    /// The encoding of the parameters; nil for that of the session manager.
    var encoding: ParameterEncoding?

    init(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        _ parameters: Parameters? = nil,
        _ body: RequestBody? = nil,
        _ headers: HTTPHeaders? = nil
    ) {
        self.method = method
        self.url = url
        self.parameters = parameters
        self.body = body
        self.headers = headers
    }

    /// Returns the draft with the encoding of parameters that the options of the call set.
    func encoded(by options: CallOptions?) -> Self {
        guard let encoding = options?.parameterEncoding else { return self }
        var draft = self
        draft.encoding = encoding
        return draft
    }

    /// The URL string under which the built request can be stored. Nil unless the draft is a GET with a URL string and
    /// nothing else: no parameters, encoding, body or fields.
    var plainReference: String? {
        method == .get && parameters == nil && encoding == nil && body == nil && headers == nil
            ? url as? String : nil
    }
}
