import Larkspur

/// The samples of `Docs/GettingStarted.md` whose calls are awaited, and one of `Docs/Responses.md`.
extension GettingStartedSamples {
    struct User: Codable, Sendable {
        var name: String
    }

    // MARK: Compiled only, as they name a server that is not there

    func wholeProgram() async throws {
        // sample: whole program
        nonisolated struct User: Codable, Sendable {
            var name: String
        }

        let manager = SessionManager(baseURL: "https://api.example.com/v1")

        let user = try await manager.get("users/1").value(as: User.self)
        print(user.name)
        // end
    }

    // MARK: Requests

    func awaitedQuery() async throws {
        // sample: awaited query
        let users = try await manager.get("users", parameters: ["page": 2, "active": true, "tags": ["new", "vip"]])
            .value(as: [User].self)
        print(users.count)
        // end
    }

    func awaitedContents() async throws {
        // sample: awaited contents
        let settings = try await manager.get("settings").value()
        let text = try await manager.get("notes").string
        let data = try await manager.get("logo").data
        print(settings["theme"].string ?? "no theme", text, data.count)
        // end
    }

    func awaitedForm() async throws {
        // sample: awaited form
        let login = try await manager.post("login", parameters: ["user": "ada", "remember": true]).value()
        print(login["token"].string ?? "no token")
        // end
    }

    func awaitedJSON() async throws {
        // sample: awaited JSON
        struct NewUser: Encodable {
            var name: String
            var tags: [String]
        }

        let user = try await manager.post("users", body: .json(NewUser(name: "Ada", tags: ["vip"])))
            .value(as: User.self)
        print(user.name)
        // end
    }

    // MARK: Errors, limits and progress

    func awaitedErrors() async throws {
        // sample: awaited errors
        do {
            let user = try await manager.get("users/99").value(as: User.self)
            try JSONEncoder().encode(user).write(to: URL(fileURLWithPath: "user.json"))
        } catch let error as LarkspurError {
            switch error.code {
            case .cannotFindHost, .cannotConnectToHost, .connectionLost:
                print("not reachable:", error.message)
            case .timedOut:
                print("too slow:", error.message)
            case .unacceptableStatusCode where error.statusCode == 404:
                print("no such user:", error.message)
            case .responseSerializationFailed:
                print("not the expected JSON:", error.message)
            default:
                print(error.label, error.message)
            }
        }
        // end
    }

    func maximumSize() async {
        // sample: maximum size of content
        manager.maximumContentSize = 10_000_000
        do {
            print(try await manager.get("report").string.count)
        } catch {
            print(error.code == .contentTooLarge ? "more than 10 MB" : error.message)
        }
        // end
    }

    func awaitedLimits() async throws {
        // sample: awaited limits
        let user = try await manager.get("users/1")
            .timeout(total: .seconds(5))
            .value(as: User.self)
        print(user.name)
        // end
    }

    func awaitedProgress() async throws {
        // sample: awaited progress
        let data = try await manager.get("archive")
            .downloadProgress { progress in
                print("\(progress.completedUnitCount) of \(progress.totalUnitCount)")
            }
            .data
        print("done: \(data.count) bytes")
        // end
    }
}
