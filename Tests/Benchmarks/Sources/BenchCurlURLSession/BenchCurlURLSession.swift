internal import LarkspurTransport
internal import URLSessionClients

@main
struct BenchCurlURLSession {
    static func main() async throws {
        var options = CurlURLSession.Options()
        // So that what is measured does not depend on the version of libcurl.
        options.http2 = .always
        let settings = options
        try await measureURLSession {
            CurlURLSession(configuration: $0, delegate: $1, delegateQueue: $2, options: settings)
        }
    }
}
