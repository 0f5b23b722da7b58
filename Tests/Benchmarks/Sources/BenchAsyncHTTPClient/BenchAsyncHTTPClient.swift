internal import Measuring

@main
struct BenchAsyncHTTPClient {
    static func main() async throws {
        let options = Options()
        if options.client.hasSuffix("-async") {
            try await Measurement(options) { AwaitingClient(options) }.run()
        } else {
            try await Measurement(options) { FutureClient(options) }.run()
        }
    }
}
