import Alamofire
import Foundation

struct User: Decodable, Sendable {
    var id: Int
    var name: String
}

do {
    let user = try await AF.request("https://api.example.com/users/1").validate().serializingDecodable(User.self).value
    print(user.id, user.name)
} catch {
    print(error.asAFError?.responseCode ?? 0, error.localizedDescription)
}
