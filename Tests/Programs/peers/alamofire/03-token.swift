import Alamofire
import Foundation

struct Grant: AuthenticationCredential, Decodable, Sendable {
    var token: String
    var requiresRefresh: Bool { false }
}

final class Renewal: Authenticator {
    func apply(_ grant: Grant, to request: inout URLRequest) {
        request.headers.add(.authorization(bearerToken: grant.token))
    }

    func refresh(
        _ grant: Grant,
        for session: Session,
        completion: @escaping @Sendable (Result<Grant, any Error>) -> Void
    ) {
        AF.request("https://api.example.com/v1/token", method: .post, parameters: ["old": grant.token]).validate()
            .responseDecodable(of: Grant.self) { response in completion(response.result.mapError { $0 }) }
    }

    func didRequest(
        _ request: URLRequest,
        with response: HTTPURLResponse,
        failDueToAuthenticationError error: any Error
    ) -> Bool {
        response.statusCode == 401
    }

    func isRequest(_ request: URLRequest, authenticatedWith grant: Grant) -> Bool {
        request.headers["Authorization"] == "Bearer \(grant.token)"
    }
}

let grant = Grant(token: "an old token")
let session = Session(interceptor: AuthenticationInterceptor(authenticator: Renewal(), credential: grant))

async let account = session.request("https://api.example.com/v1/account").validate().serializingString().value
async let orders = session.request("https://api.example.com/v1/orders").validate().serializingString().value
print(try await account, try await orders)
