/// A serializer that writes parameters as the body of an HTML form: `name=value&other=value`.
///
/// The Content-Type is `application/x-www-form-urlencoded`, unless the request has one. Without parameters, a body that
/// the request already has stays unchanged, and a request without a body gets an empty body.
public struct HTTPRequestSerializer: RequestSerializer {
    /// Creates a serializer.
    public init() {}

    /// Writes parameters as a form.
    /// - Parameters:
    ///   - parameters: The parameters; nil for an empty body.
    ///   - request: The request to write to.
    ///   - settings: The settings of the request, which determine the text of the form.
    /// - Throws: ``LarkspurError`` with the code `parameterEncodingFailed`.
    public func encodeBody(
        _ parameters: Parameters?,
        into request: inout URLRequest,
        with settings: RequestSettings
    ) throws(LarkspurError) {
        if parameters == nil, request.httpBody != nil || request.httpBodyStream != nil { return }
        let query = if let parameters { try settings.query(parameters, for: request) } else { "" }
        guard let body = query.data(using: settings.stringEncoding) else {
            throw LarkspurError(
                .parameterEncodingFailed,
                "The form holds characters that \(settings.stringEncoding) does not have: use UTF-8."
            )
        }
        request.setContentTypeIfAbsent("application/x-www-form-urlencoded")
        request.httpBody = body
    }
}

extension RequestSerializer where Self == HTTPRequestSerializer {
    /// An ``HTTPRequestSerializer`` with its defaults: parameters become a form.
    public static var form: Self { Self() }
}

extension URLRequest {
    mutating func setContentTypeIfAbsent(_ type: String) {
        setFields(["Content-Type": type], keepsOwn: true)
    }
}
