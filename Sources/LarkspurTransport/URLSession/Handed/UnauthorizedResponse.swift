#if canImport(FoundationNetworking)
/// A 401 response that FoundationNetworking does not take for a challenge.
///
/// FoundationNetworking would raise a challenge for Basic when the task ends, and never end the task if it is not
/// answered. The engine has handled challenges before.
final class UnauthorizedResponse: HTTPURLResponse, @unchecked Sendable {
    // Safe: nothing changes after initialisation.

    /// Creates the response; nil for every response that is not treated as a challenge.
    init?(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse, response.statusCode == 401, let url = response.url
        else { return nil }
        let fields = response.allHeaderFields.map { ("\($0.key)", "\($0.value)") }
        super.init(
            url: url,
            statusCode: 401,
            httpVersion: "HTTP/1.1",
            headerFields: Dictionary(fields) { first, _ in first }
        )
    }

    required init?(coder: NSCoder) { super.init(coder: coder) }

    /// The URL; nil while FoundationNetworking looks for challenges, since it finds none without a URL.
    override var url: URL? { SuperclassQueue.session == nil ? super.url : nil }

    /// The class for archives, which must be readable by programs without this class.
    override var classForCoder: AnyClass { HTTPURLResponse.self }
    override var classForKeyedArchiver: AnyClass? { HTTPURLResponse.self }
}
#endif
