internal import Measuring

@main
struct BenchSessionManager {
    static func main() async throws {
        let options = Options()
        if options.client.hasSuffix("-async") {
            try await Measurement(options) { AwaitingManagerClient(options) }.run()
        } else {
            switch options.workload {
            case .discard, .slow, .uploadSequence, .slowUploadSequence: end("Sequences need a client that awaits.")
            default: break
            }
            try await Measurement(options) { ManagerClient(options) }.run()
        }
    }
}
