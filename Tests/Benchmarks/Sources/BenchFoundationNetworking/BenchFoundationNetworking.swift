internal import Foundation
internal import FoundationNetworking
internal import URLSessionClients

@main
struct BenchFoundationNetworking {
    static func main() async throws {
        try await measureURLSession { URLSession(configuration: $0, delegate: $1, delegateQueue: $2) }
    }
}
