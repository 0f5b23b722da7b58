import Larkspur

/// The samples of `Docs/MigratingFromAFNetworking.md`, each between two markers; what they print is noted.
struct MigrationSamples: Sendable {
    let manager: SessionManager
    let output = Recorder<String>()

    private func print(_ item: Any) { output.record("\(item)") }

    func get(_ url: URL) -> SessionManager {
        // sample: migrating a GET
        let manager = SessionManager(baseURL: url)
        manager.get("users", parameters: ["page": 2]) { task, object in
            print(object ?? "no content")
        } failure: { task, error in
            print(error)
        }
        // end
        return manager
    }

    func serializers() {
        // sample: migrating serializers
        manager.requestSerializer = .json
        manager.headers["X-Request-ID"] = "42"
        manager.responseSerializer.acceptableContentTypes = ["text/html"]
        // end
    }

    func download(_ request: URLRequest, _ folder: URL) {
        // sample: migrating a download
        let task = manager.downloadTask(
            with: request,
            options: CallOptions(downloadProgress: { progress in print(progress.fractionCompleted) }),
            to: DownloadDestination { _, response in
                folder.appendingPathComponent(response?.url?.lastPathComponent ?? "file")
            }
        ) { response in
            print(response.fileURL?.path ?? "no file")
        }
        task.resume()
        // end
    }

    func redirection() {
        // sample: migrating a block setter
        manager.hooks.willPerformHTTPRedirection = { task, response, request in nil }
        // end
    }

    func pins(_ url: URL, _ folder: URL) throws -> SessionManager {
        // sample: migrating pins
        let policy = SecurityPolicy(
            pinningMode: .publicKey,
            pinnedCertificates: try SecurityPolicy.certificates(in: folder)
        )
        let manager = try SessionManager(baseURL: url, securityPolicy: policy)
        // end
        return manager
    }

    struct User: Codable, Sendable {
        var name: String
    }

    // sample: migrating to Swift 6
    @MainActor final class UserList {
        private(set) var users: [User] = []

        func load(with manager: SessionManager) async throws {
            users = try await manager.get("users").value(as: [User].self)
        }

        func load(with manager: SessionManager, completionHandler: @escaping @MainActor (LarkspurError?) -> Void) {
            manager.get("users", as: [User].self) { _, users in
                Task { @MainActor in
                    self.users = users
                    completionHandler(nil)
                }
            } failure: { _, error in
                Task { @MainActor in completionHandler(error) }
            }
        }
    }
    // end
}
