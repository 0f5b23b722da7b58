#if canImport(FoundationNetworking)
/// A 401 response that FoundationNetworking does not take for a challenge.
///
/// It would raise a challenge for Basic when the task ends, and never end the task where that is not answered. The
/// engine has seen to challenges before.
final class UnauthorizedResponse: HTTPURLResponse, @unchecked Sendable {
    // Safe: nothing changes once it is made.

    /// Nil for every response that cannot be mistaken.
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

    /// Nil where FoundationNetworking looks for challenges: without a URL there is none.
    override var url: URL? { SuperclassQueue.session == nil ? super.url : nil }

    /// An archive is to be read where this class does not exist.
    override var classForCoder: AnyClass { HTTPURLResponse.self }
    override var classForKeyedArchiver: AnyClass? { HTTPURLResponse.self }
}
#endif
