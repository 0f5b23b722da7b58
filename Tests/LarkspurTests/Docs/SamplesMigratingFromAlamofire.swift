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

    func download() -> (DownloadTask, DownloadDestination) {
        // sample: instead of Alamofire, a download
        let destination = DownloadDestination.file(file, replacing: true)
        let task = manager.download("disk.iso", to: destination).response { print($0.error?.label ?? "saved") }
        // end
        return (task, destination)
    }

    func goOn(_ task: DownloadTask, _ destination: DownloadDestination) {
        // sample: instead of Alamofire, a resumed download
        task.cancel { resumeData in
            manager.download("disk.iso", resumeData: resumeData, to: destination)
                .response { print($0.error?.label ?? "saved") }
        }
        // end
    }

    func login() async throws {
        // sample: instead of Alamofire, a login
        let text = try await manager.get("basic-auth/ada/secret")
            .authenticate(username: "ada", password: "secret")
            .string
        print(text)
        // end
    }

    func retry() async throws {
        // sample: instead of Alamofire, another attempt
        manager.interceptors.call = [.retry(maximumAttempts: 5)]
        let user = try await manager.get("users/2").value(as: User.self)
        print(user.name)
        // end
    }

    func logging() {
        // sample: instead of Alamofire, a log
        manager.hooks.didComplete = { task, error in
            print(task.currentRequest?.url?.path ?? "", task.statusCode ?? 0, error?.label ?? "no error")
        }
        // end
    }

    func several() async throws {
        // sample: instead of Alamofire, two at once
        async let user = manager.get("users/1").value(as: User.self)
        async let notes = manager.get("notes").string
        print(try await user.name, try await notes)
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

    func values() async throws {
        // sample: instead of Alamofire, JSON values
        for try await user in manager.get("people").decoded(as: User.self) {
            print(user.name)
        }
        // end
    }

    func rules() async throws {
        // sample: instead of Alamofire, redirect and cache
        let text = try await manager.get("moved")
            .redirect { task, response, request in nil }
            .cacheResponse { task, proposed in nil }
            .validate(statusCode: 200..<400)
            .string
        print(text)
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
