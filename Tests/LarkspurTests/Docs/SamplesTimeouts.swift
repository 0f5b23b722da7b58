import Larkspur

/// The samples of `Docs/Timeouts.md`, each between two markers; what they print is recorded.
struct TimeoutSamples: Sendable {
    struct User: Codable, Sendable {
        var name: String
    }

    let manager: SessionManager
    let output = Recorder<String>()

    private func print(_ items: Any...) {
        output.record(items.map { "\($0)" }.joined(separator: " "))
    }

    func timeouts() async throws {
        // sample: limits of time
        manager.timeouts = Timeouts(total: .seconds(600), response: .seconds(120), idle: .seconds(60))
        let text = try await manager.get("notes").timeout(total: .seconds(300)).string
        print(text)
        // end
    }

    func ending() async {
        // sample: which limit ended a call
        let response = await manager.get("slow").timeout(total: .milliseconds(100)).response()
        if let error = response.error, error.code == .timedOut {
            print(error.message)
        }
        // end
    }

    func deadline() async throws {
        // sample: a deadline for several calls
        try await withTimeout(total: .seconds(300)) {
            let user = try await manager.get("users/1").value(as: User.self)
            print(user.name, try await manager.get("notes").string)
        }
        // end
    }

    func idle(_ baseURL: URL) -> (SessionManager, DataTask) {
        // sample: time without a byte
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 30
        let manager = SessionManager(baseURL: baseURL, configuration: configuration)

        manager.timeouts.idle = .seconds(20)
        let call = manager.get("notes").timeout(idle: .seconds(5))
        // end
        return (manager, call)
    }
}
