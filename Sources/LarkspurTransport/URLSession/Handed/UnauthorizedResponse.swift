#if canImport(FoundationNetworking)
import HTTPSyntax

/// A 401 response that FoundationNetworking does not treat as a challenge.
///
/// The engine has already handled all challenges. For an ordinary 401 response, FoundationNetworking would create a
/// challenge for Basic at the end of the task. If the delegate did not respond to it, the task would never end.
final class UnauthorizedResponse: HTTPURLResponse, @unchecked Sendable {
    // Safe: nothing changes after initialisation.

    /// Creates the response. Nil if it is not needed, because FoundationNetworking does not treat the given response as
    /// a challenge.
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

    /// The URL; nil on the work queue, where FoundationNetworking searches the response for challenges. Without a URL,
    /// FoundationNetworking finds no challenge.
    override var url: URL? { SuperclassQueue.session == nil ? super.url : nil }

    /// The class whose name is written into archives: the superclass, so that programs without this class can read the
    /// archives.
    override var classForCoder: AnyClass { HTTPURLResponse.self }
    override var classForKeyedArchiver: AnyClass? { HTTPURLResponse.self }
}
#endif
