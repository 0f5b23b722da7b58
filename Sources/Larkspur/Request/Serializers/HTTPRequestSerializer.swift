/// Writes parameters as an HTML form's body: `name=value&other=value`.
///
/// The Content-Type is `application/x-www-form-urlencoded`, where the request has none. Without parameters the body is
/// empty, but there; a request that brings a body of its own and gets no parameters keeps it as it is.
public struct HTTPRequestSerializer: RequestSerializer {
    /// Makes a serializer.
    public init() {}

    /// Writes parameters as a form.
    /// - Parameters:
    ///   - parameters: The parameters; nil makes an empty body.
    ///   - request: The request to write to.
    ///   - settings: The settings that the request is built with.
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
        if value(forHTTPHeaderField: "Content-Type") == nil { setValue(type, forHTTPHeaderField: "Content-Type") }
    }
}
