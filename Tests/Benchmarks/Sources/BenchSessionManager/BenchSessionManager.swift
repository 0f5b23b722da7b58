internal import Measuring

@main
struct BenchSessionManager {
    static func main() async throws {
        let options = Options()
        if options.client.hasSuffix("-async") {
            let measurement = Measurement(options) { AwaitingManagerClient(options) }
            if options.workload == .crawl { try await measurement.crawl() } else { try await measurement.run() }
        } else {
            switch options.workload {
            case .crawl, .discard, .slow: end("This needs a client that awaits.")
            case _ where options.workload.uploadsSequence: end("This needs a client that awaits.")
            default: break
            }
            try await Measurement(options) { ManagerClient(options) }.run()
        }
    }
}
