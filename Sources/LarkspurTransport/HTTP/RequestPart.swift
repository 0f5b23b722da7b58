/// The part of a request because of which the engine cannot send the request. Foundation has the same error code for
/// several parts.
package enum RequestPart: String, Sendable {
    case url, method, fields

    /// The key for the part, as text, in the `userInfo` of a `URLError` with the code `badURL` or `unsupportedURL`.
    package static let userInfoKey = "LarkspurRequestPart"
}
