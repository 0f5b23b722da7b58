import Larkspur

struct User: Codable, Sendable {
    var name: String
}

let manager = SessionManager(baseURL: CommandLine.arguments[1])
let user = try await manager.get(CommandLine.arguments[2]).value(as: User.self)
print(user.name)
