import LarkspurTransport

struct User: Codable, Sendable {
    var name: String
}

guard let url = URL(string: CommandLine.arguments[1] + CommandLine.arguments[2]) else { fatalError("no URL") }
let session = CurlURLSession(configuration: .default)
let (data, _) = try await session.data(from: url)
print(try JSONDecoder().decode(User.self, from: data).name)
