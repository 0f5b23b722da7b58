#if canImport(FoundationNetworking)
/// A 401 response that FoundationNetworking does not mistake for a challenge.
///
/// At the end of the task FoundationNetworking would create a challenge for Basic, and without an answer to it the task
/// would never end. The engine has already handled all challenges.
final class UnauthorizedResponse: HTTPURLResponse, @unchecked Sendable {
    // Safe: nothing changes after initialisation.

    /// Creates the response; nil if FoundationNetworking does not treat the given response as a challenge.
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

    /// The URL; nil while FoundationNetworking looks for challenges, as it finds none without a URL.
    override var url: URL? { SuperclassQueue.session == nil ? super.url : nil }

    /// The class that archives name, so that programs without this class can read them.
    override var classForCoder: AnyClass { HTTPURLResponse.self }
    override var classForKeyedArchiver: AnyClass? { HTTPURLResponse.self }
}
#endif
