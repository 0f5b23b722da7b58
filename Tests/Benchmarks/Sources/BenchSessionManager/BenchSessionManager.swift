internal import Measuring

@main
struct BenchSessionManager {
    static func main() async throws {
        let options = Options()
        if options.workload == .discard || options.workload == .slow {
            end("SessionManager collects the content of its data tasks.")
        }
        if options.client.hasSuffix("-async") {
            try await Measurement(options) { AwaitingManagerClient(options) }.run()
        } else {
            try await Measurement(options) { ManagerClient(options) }.run()
        }
    }
}
