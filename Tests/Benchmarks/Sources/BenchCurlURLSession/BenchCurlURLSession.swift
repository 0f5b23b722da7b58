internal import LarkspurTransport
internal import URLSessionClients

@main
struct BenchCurlURLSession {
    static func main() async throws {
        try await measureURLSession { CurlURLSession(configuration: $0, delegate: $1, delegateQueue: $2) }
    }
}
