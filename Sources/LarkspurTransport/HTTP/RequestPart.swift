/// The part of a request for which the engine cannot send it. Foundation has one code for all of them.
package enum RequestPart: String, Sendable {
    case url, method, fields

    /// The key for the part, as text, in the `userInfo` of a `URLError` with the code `badURL` or `unsupportedURL`.
    package static let userInfoKey = "LarkspurRequestPart"
}
