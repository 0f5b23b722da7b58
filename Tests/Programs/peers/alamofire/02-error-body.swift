import Alamofire
import Foundation

struct NewUser: Encodable {
    var name: String
    var tags: [String]
}

struct User: Decodable, Sendable {
    var id: Int
}

struct Refusal: Decodable, Sendable {
    var field: String
    var reason: String
}

let user = NewUser(name: "Ada", tags: ["vip"])
let request = AF.request("https://api.example.com/v1/users", method: .post, parameters: user, encoder: .json)
let response = await request.validate().serializingDecodable(User.self).response
switch response.result {
case .success(let user):
    print(user.id)
case .failure(let error):
    let refusal = response.data.flatMap { try? JSONDecoder().decode(Refusal.self, from: $0) }
    print(refusal.map { "\($0.field): \($0.reason)" } ?? error.localizedDescription)
}
