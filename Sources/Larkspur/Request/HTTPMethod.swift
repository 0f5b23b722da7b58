internal import HTTPSyntax

/// A request method (RFC 9110, section 9).
///
/// Method names are case-sensitive. Any token may be a method: `let purge: HTTPMethod = "PURGE"`.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as it is sent.
    public let rawValue: String

    /// Creates a method from its name. If the name is not a token, building a request with it fails.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a method from a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// Returns whether two methods have the same name, byte for byte.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    /// Whether the name is a token, as every method must be (RFC 9110, sections 5.6.2 and 9.1).
    package var isValid: Bool { rawValue.isToken }

    /// Whether the method is registered as safe: it requests no change on the server (RFC 9110, section 9.2.1). False
    /// for methods that IANA does not list.
    public var isSafe: Bool { MethodProperties(rawValue).isSafe }

    /// Whether the method is registered as idempotent: repeated requests have the same effect as one (RFC 9110, section
    /// 9.2.2). False for methods that IANA does not list.
    public var isIdempotent: Bool { MethodProperties(rawValue).isIdempotent }

    /// The methods that IANA lists as idempotent.
    static let idempotent = Set(MethodProperties.idempotent.map(HTTPMethod.init(rawValue:)))

    /// Checks that the name is a token, and throws the error `invalidMethod` if it is not.
    func validate() throws(LarkspurError) {
        guard isValid else {
            throw LarkspurError(
                .invalidMethod,
                "The method “\(String(rawValue.prefix(40)).onOneLine)” is not a token: only letters, digits and "
                    + "!#$%&'*+-.^_`|~ are allowed."
            )
        }
    }

    /// The name of the method.
    public var description: String { rawValue }

    /// `GET`: transfer a current representation.
    public static let get: HTTPMethod = "GET"
    /// `HEAD`: like GET, but without the content in the response.
    public static let head: HTTPMethod = "HEAD"
    /// `POST`: process the enclosed content.
    public static let post: HTTPMethod = "POST"
    /// `PUT`: replace the target's state with the enclosed content.
    public static let put: HTTPMethod = "PUT"
    /// `PATCH`: apply a partial modification (RFC 5789).
    public static let patch: HTTPMethod = "PATCH"
    /// `DELETE`: remove the target's current representations.
    public static let delete: HTTPMethod = "DELETE"
    /// `OPTIONS`: describe the communication options.
    public static let options: HTTPMethod = "OPTIONS"
    /// `TRACE`: perform a message loop-back test.
    public static let trace: HTTPMethod = "TRACE"
    /// `QUERY`: a safe, idempotent query whose parameters are the content (RFC 10008).
    public static let query: HTTPMethod = "QUERY"
}
