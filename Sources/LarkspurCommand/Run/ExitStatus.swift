import Larkspur

/// The exit status of the program. The numbers are HTTPie's.
enum ExitStatus: Int32, Error {
    case success = 0
    /// An error in the arguments, of the network, or of a file.
    case error = 1
    case timeout = 2
    /// A redirect that is not followed, with `--check-status`.
    case redirection = 3
    /// A 4xx response, with `--check-status`.
    case clientError = 4
    /// A 5xx response, with `--check-status`.
    case serverError = 5
    case tooManyRedirects = 6
    case interrupted = 130

    /// The exit status for a response's status code.
    /// - Parameter followsRedirects: Whether redirects are followed. If true, a 3xx response is not an error.
    init(statusCode: Int, followsRedirects: Bool) {
        self =
            switch statusCode {
            case 300..<400 where !followsRedirects: .redirection
            case 400..<500: .clientError
            case 500..<600: .serverError
            default: .success
            }
    }

    init(_ error: LarkspurError) {
        self =
            switch error.code {
            case .timedOut, .deadlineExceeded: .timeout
            case .tooManyRedirects: .tooManyRedirects
            default: .error
            }
    }
}
