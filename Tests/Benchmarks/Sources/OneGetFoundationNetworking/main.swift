import Foundation
import FoundationNetworking

struct User: Codable, Sendable {
    var name: String
}

guard let url = URL(string: CommandLine.arguments[1] + CommandLine.arguments[2]) else { fatalError("no URL") }
let (data, _) = try await URLSession.shared.data(from: url)
print(try JSONDecoder().decode(User.self, from: data).name)
