import Larkspur

/// The samples of `Docs/MigratingFromAlamofire.md`, each between two markers; what they print is noted.
struct AlamofireSamples: Sendable {
    struct User: Codable, Sendable {
        var name: String
    }

    enum ReportError: Error {
        case isCut
    }

    let manager: SessionManager
    let url: URL
    let file: URL
    let output = Recorder<String>()

    private func print(_ items: Any...) {
        output.record(items.map { "\($0)" }.joined(separator: " "))
    }

    func typed() async throws {
        // sample: instead of Alamofire, a typed GET
        let user = try await manager.get("users/1").value(as: User.self)
        print(user.name)
        // end
    }

    func bodies(_ newUser: User) async throws {
        // sample: instead of Alamofire, JSON among forms
        let answer = try await manager.post("login", parameters: ["name": "Ada"]).string
        let user = try await manager.post("users", body: .json(newUser)).value(as: User.self)
        print(answer, user.name)
        // end
    }

    func validation() async throws {
        // sample: instead of Alamofire, a rule
        let data = try await manager.get("report")
            .validate { request, response, data in
                if response.headers["X-Complete"] != "yes" { throw ReportError.isCut }
            }
            .data
        print(data.count)
        // end
    }

    func form() async throws {
        // sample: instead of Alamofire, a form
        let body = RequestBody.multipart { form in
            try form.append(file: file, name: "portrait")
            form.append(text: "Ada", name: "name")
        }
        let user = try await manager.post("users", body: body)
            .uploadProgress { print($0.fractionCompleted) }.value(as: User.self)
        print(user.name)
        // end
    }

    func download() {
        // sample: instead of Alamofire, a download
        let destination = DownloadDestination.file(file, replacing: true)
        manager.download("disk.iso", to: destination).response { print($0.error?.label ?? "saved") }
        // end
    }

    func retry() async throws {
        // sample: instead of Alamofire, another attempt
        manager.interceptors.call = [.retry(maximumAttempts: 5)]
        let user = try await manager.get("users/2").value(as: User.self)
        print(user.name)
        // end
    }

    func chunks() async throws {
        // sample: instead of Alamofire, chunks
        var count = 0
        for try await chunk in manager.get("archive").chunks {
            count += chunk.count
        }
        print(count)
        // end
    }

    func token(_ token: String, _ tokens: SessionManager) async throws {
        // sample: instead of Alamofire, a token
        struct TokenRules: RequestAuthenticator {
            let tokens: SessionManager

            func apply(_ token: String, to request: inout URLRequest) {
                request.headers["Authorization"] = "Bearer \(token)"
            }

            func refresh(_ token: String, after refusal: InterceptedResponse?) async throws -> String {
                try await tokens.post("refresh", parameters: ["token": token]).redirect { _, _, _ in nil }.string
            }
        }

        manager.interceptors.call = [.authentication(token, authenticator: TokenRules(tokens: tokens), for: url)]
        let text = try await manager.get("me").string
        print(text)
        // end
    }
}
