internal import Measuring

@main
struct BenchAsyncHTTPClient {
    static func main() async throws {
        let options = Options()
        if options.client.hasSuffix("-async") {
            let measurement = Measurement(options) { AwaitingClient(options) }
            if options.workload == .crawl { try await measurement.crawl() } else { try await measurement.run() }
        } else {
            try await Measurement(options) { FutureClient(options) }.run()
        }
    }
}
