import AsyncHTTPClient
import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct User: Codable, Sendable {
    var name: String
}

let request = HTTPClientRequest(url: CommandLine.arguments[1] + CommandLine.arguments[2])
let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
let content = try await response.body.collect(upTo: 1 << 20)
print(try JSONDecoder().decode(User.self, from: Data(content.readableBytesView)).name)
