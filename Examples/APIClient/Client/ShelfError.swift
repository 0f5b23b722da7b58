public import Larkspur

/// The reasons for which a call fails, as a user of the API sees them.
public enum ShelfError: Error {
    /// There is no such book.
    case notFound
    /// The user has to log in again.
    case loggedOut
    /// The server refuses the request, with its own words.
    case refused(String)
    /// The server could not be reached, or failed: another try may succeed later.
    case unavailable(LarkspurError)

    /// Sorts an error of a call by its reason.
    init(_ error: LarkspurError) {
        switch (error.code, error.statusCode) {
        case (_, 404): self = .notFound
        case (.credentialRefreshFailed, _), (_, 401): self = .loggedOut
        case (_, let status?) where (400..<500).contains(status):
            self = .refused(error.problem?.detail ?? error.message)
        default: self = .unavailable(error)
        }
    }
}
