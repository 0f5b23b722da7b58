import Larkspur

/// The samples of `README.md`, each between two markers.
struct ReadmeSamples: Sendable {
    struct User: Codable, Sendable {
        var name: String
    }

    struct Order: Codable, Sendable {
        var item: String
        var count: Int
    }

    let manager: SessionManager
    let output = Recorder<String>()

    private func print(_ items: Any...) { output.record(items.map { "\($0)" }.joined(separator: " ")) }

    func closures() {
        // sample: README, closures
        manager.get("users/1", as: User.self) { task, user in
            print(user.name)
        } failure: { task, error in
            print(error.statusCode ?? 0, error.message)
        }
        // end
    }

    func chain(_ order: Order) async throws -> Order {
        // sample: README, chain
        let stored = try await manager.put("orders/7", body: .json(order))  // or a form, a file, a stream, a sequence
            .authenticate(username: "ada", password: "secret")  // Basic, Digest or NTLM, as the server asks
            .intercept(with: .retry(maximumAttempts: 3))  // again after a failure, if the request may be repeated
            .timeout(total: .seconds(30), idle: .seconds(5))  // of the whole call, and of a pause
            .redirect { task, response, request in nil }  // follows no redirect; `request` would
            .uploadProgress { progress in print(progress.completedUnitCount, "bytes sent") }
            .validate(contentType: ["application/json"])  // before the content is decoded
            .verifyDigest(.ifPresent)  // compares the content with Repr-Digest and Content-Digest
            .value(as: Order.self)
        // end
        return stored
    }
}
