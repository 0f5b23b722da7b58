import Larkspur

/// The samples of `Docs/Async.md`, each between two markers; what they print is noted.
struct AsyncSamples: Sendable {
    struct User: Codable, Sendable {
        var name: String
    }

    let manager: SessionManager
    let url: URL
    let folder: URL
    let output = Recorder<String>()

    private func print(_ items: Any...) {
        output.record(items.map { "\($0)" }.joined(separator: " "))
    }

    func values() async throws {
        // sample: await a value
        nonisolated struct User: Codable, Sendable {
            var name: String
        }

        let user = try await manager.get("users/1").value(as: User.self)
        let friend: User = try await manager.get("users/2").value()
        print(user.name, friend.name)
        // end
    }

    func content() async throws {
        // sample: await content and text
        let data = try await manager.get("logo").data
        let text = try await manager.get("notes").string
        let list = try await manager.get("settings")
            .value(as: .decodable([Int].self, decoder: PropertyListDecoder()))
        print(data.count, text, list)
        // end
    }

    func untyped() async throws {
        // sample: await JSON without a type
        let user = try await manager.get("users/1").value()
        print(user["name"].string ?? "nobody", user["id"].int ?? 0, user["tags"][0].string ?? "no tag")
        // end
    }

    func untypedBody() async throws {
        // sample: send JSON without a type
        let order: JSONValue = ["item": "tea", "count": 2, "tags": ["new", "vip"], "note": nil]
        print(try await manager.post("orders", body: .json(order)).value())
        // end
    }

    func typedErrors() async {
        // sample: the type of an error in a closure
        let work = Task {
            do throws(LarkspurError) {
                return try await manager.get("users/0").value(as: User.self).name
            } catch {
                return "\(error.statusCode ?? 0): \(error.message)"
            }
        }
        print(await work.value)
        // end
    }

    func response() async {
        // sample: await a response
        let response = await manager.get("users/1").response(as: User.self)
        print(response.statusCode ?? 0, response.timeline.totalDuration ?? .zero)
        if let user = response.value { print(user.name) }
        // end
    }

    func valuesInURLs(_ id: String) async throws {
        // sample: values in URLs
        let user = try await manager.get(.path("users/\(id)")).value(as: User.self)
        let files = try await manager.get(.template("users/{id}/files{?page}", ["id": id, "page": 2])).value()
        // end
        print(user.name, files)
    }

    func few() async throws {
        // sample: async let
        async let user = manager.get("users/1").value(as: User.self)
        async let text = manager.get("notes").string
        print(try await user.name, try await text)
        // end
    }

    func onSessionThread() async throws {
        // sample: on the session's thread
        let total = try await withTaskExecutorPreference(manager.executor) {
            var total = 0
            for id in 1...100 { total += try await manager.get(.path("users/\(id)")).data.count }
            return total
        }
        print(total)
        // end
    }

    func canceling() async {
        // sample: cancel the surrounding task
        let work = Task { await manager.get("slow").response() }
        work.cancel()
        print(await work.value.error?.label ?? "finished")
        // end
    }

    func downloading() async throws {
        // sample: download with async
        let report = try await manager.download("report.pdf", to: .folder(folder, replacing: true)).file
        let temporary = try await manager.download("report.pdf").file
        print(report.lastPathComponent)
        try FileManager.default.removeItem(at: temporary)
        // end
    }

    func settings() async throws {
        // sample: settings of one call
        let text = try await manager.get("secret/page")
            .authenticate(username: "ada", password: "secret")
            .redirect { task, response, request in
                request.url?.scheme == "https" ? request : nil
            }
            .validate(statusCode: 200..<400)
            .validate { request, response, data in
                if data.isEmpty { throw LarkspurError(.emptyResponse, "The page is empty.") }
            }
            .string
        print(text)
        // end
    }

    func handlers() {
        // sample: handlers in a chain
        manager.get("users/1")
            .response(as: User.self) { response in
                print(response.value?.name ?? "no user")
            }
            .response(as: .string) { response in
                print(response.value?.count ?? 0)
            }
        // end
    }

    func scoped() async throws {
        // sample: a manager for one chunk of work
        let user = try await withSessionManager(SessionManager(baseURL: url)) { manager in
            try await manager.get("users/1").value(as: User.self)
        }
        print(user.name)
        // end
    }
}
