import Larkspur
import LarkspurTesting

struct User: Codable, Sendable {
    var id: Int?
    var name: String
}

/// Calls of an embedded server: awaited, with closures, and observed by notifications.
struct Tour {
    private let server: LoopbackServer
    private let manager: SessionManager

    init() throws {
        server = try LoopbackServer()
        server.route("/v1/users/1", .json(#"{"id": 1, "name": "Ada"}"#))
        server.route("/v1/users", method: "POST", .json(#"{"id": 2, "name": "Grace"}"#, status: 201))
        server.route("/v1/users/7", .json(#"{"message": "no such user"}"#, status: 404))
        manager = SessionManager(baseURL: server.url("/v1"))
    }

    func run() async throws {
        print("Requests are sent by \(type(of: manager.session)).")
        section("Awaited calls")
        try await awaitedCalls()
        section("The same with closures")
        closures()
        await finishAll()
        section("Notifications of a task that is suspended and resumed")
        await notifications()
    }

    private func awaitedCalls() async throws {
        let ada = try await manager.get("users/1").value(as: User.self)
        let grace = try await manager.post("users", body: .json(User(name: "Grace"))).value(as: User.self)
        print(ada.name, grace.id ?? 0)

        do {
            print(try await manager.get("users/7").value(as: User.self))
        } catch {
            print(error.statusCode ?? 0, error.message)
        }
    }

    private func closures() {
        manager.get("users/1", as: User.self) { task, user in
            print("success:", user.name)
        } failure: { task, error in
            print("failure:", error.message)
            exit(1)
        }
        manager.get("users/7") { task, object in
            print("success:", object ?? "no content")
            exit(1)
        } failure: { task, error in
            print("failure:", error.statusCode ?? 0)
        }
    }

    private func notifications() async {
        let printer = NotificationPrinter()
        defer { printer.stop() }
        // The server holds its response back until the task was suspended.
        let gate = LoopbackServer.Gate()
        server.route("/v1/report", .json(#"{"pages": 12}"#).held(until: gate))
        let task = manager.get("report") { task, object in
            print("success:", object ?? "no content")
        } failure: { task, error in
            print("failure:", error.message)
            exit(1)
        }
        task.suspend()
        gate.open()
        task.resume()
        await finishAll()
    }

    /// Waits for the handlers and notifications of all calls.
    private func finishAll() async {
        await withCheckedContinuation { continuation in
            manager.completionGroup.notify(queue: .global()) { continuation.resume() }
        }
    }

    private func section(_ title: String) { print("\n== \(title)") }
}
