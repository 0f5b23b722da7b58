import HTTPSyntax
import Larkspur
import LarkspurCredentials

/// The credentials of the user's netrc file for the host of a request. They are sent with the request, but not printed
/// and not stored in a session.
struct NetrcCredentials: Equatable, Sendable {
    /// The value of the field `Authorization`.
    let authorization: String
    /// The path of the file.
    let path: String

    /// Looks up the credentials. Nil if there are none. A file that is malformed, or that other users can read, is
    /// reported on standard error, and not used.
    init?(for url: URL, _ environment: [String: String]) {
        do throws(NetrcError) {
            guard let entry = try Netrc.ofUser(environment)?.entry(for: url) else { return nil }
            authorization = entry.authorization.value
            path = Netrc.userFile(environment).path
        } catch {
            Sink.standardError.report("larkspur: warning: \(error.message) --ignore-netrc ignores the file.")
            return nil
        }
    }
}
