import Foundation
import LarkspurTesting

extension LoopbackServer {
    /// Answers only who brings a user credential, by Basic.
    /// - Parameter challenges: The fields of the refusal. Default: one for Basic.
    func protect(
        _ path: String,
        user: String = "user",
        password: String = "password",
        challenges: [String] = [#"Basic realm="r""#],
        with response: Response = .text("welcome")
    ) {
        let field = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        route(path) { request in
            if request.headers["Authorization"] == field { return response }
            return challenges.reduce(.text("denied", status: 401)) { $0.adding("WWW-Authenticate", $1) }
        }
    }

    /// The values of a field of all requests to a path.
    func values(of name: String, at path: String) -> [String?] { requests(to: path).map { $0.headers[name] } }
}
