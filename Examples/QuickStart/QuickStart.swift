import Larkspur
import LarkspurActivity
import LarkspurTesting

/// A program that shows Larkspur's main use: GET and POST with closures, observed by notifications.
///
///     swift run QuickStart        against an embedded server
///     swift run QuickStart URL    one GET of that URL
///
/// It exits with a status other than 0 if a call that should have succeeded has failed.
@main
enum QuickStart {
    static func main() throws {
        let notifications = NotificationPrinter()
        defer { notifications.stop() }
        let outcome = Outcome()
        if let url = CommandLine.arguments.dropFirst().first {
            get(url, outcome)
        } else {
            try tour(outcome)
        }
        exit(outcome.exitStatus)
    }

    /// Performs a GET request for any URL and prints the content, of any type.
    private static func get(_ url: String, _ outcome: Outcome) {
        let manager = SessionManager(responseSerializer: StringResponseSerializer())
        // The spinner is shown on a terminal, if the request takes longer than a second.
        let spinner = Spinner(label: url)
        let monitor = NetworkActivityMonitor()
        monitor.setActivityHandler { $0 ? spinner.start() : spinner.stop() }
        monitor.isEnabled = true
        defer { spinner.stop() }
        outcome.expectSuccess("GET \(url)")
        manager.get(url) { task, text in
            outcome.succeeded("GET \(url)", task, text)
        } failure: { task, error in
            outcome.failed("GET \(url)", task, error)
        }
        manager.completionGroup.wait()
    }

    private static func tour(_ outcome: Outcome) throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.route("/missing", .json(#"{"reason":"no such page"}"#, status: 404))
        let manager = SessionManager(baseURL: server.baseURL)
        print("Carried by \(type(of: manager.session)).")

        section("A GET with parameters")
        outcome.expectSuccess("GET")
        manager.get("get", parameters: ["page": 2, "tags": ["swift", "linux"]]) { task, object in
            outcome.succeeded("GET", task, (object as? [String: Any])?["args"])
        } failure: { task, error in
            outcome.failed("GET", task, error)
        }
        manager.completionGroup.wait()

        section("A POST of a form")
        outcome.expectSuccess("POST form")
        manager.post("post", parameters: .encodable(Author(name: "Ada Lovelace", year: 1815))) { task, object in
            outcome.succeeded("POST form", task, (object as? [String: Any])?["form"])
        } failure: { task, error in
            outcome.failed("POST form", task, error)
        }
        manager.completionGroup.wait()

        section("A POST of JSON, with types of our own")
        outcome.expectSuccess("POST JSON")
        manager.post("post", body: .json(User(name: "Grace", languages: ["COBOL"])), as: Echo.self) { task, echo in
            outcome.succeeded("POST JSON", task, echo.json)
        } failure: { task, error in
            outcome.failed("POST JSON", task, error)
        }
        manager.completionGroup.wait()

        section("A 404, which ends in failure with its body")
        outcome.expectFailure("GET missing")
        manager.get("missing") { task, object in
            outcome.succeeded("GET missing", task, object)
        } failure: { task, error in
            outcome.failed("GET missing", task, error)
        }
        manager.completionGroup.wait()

        section("A task that is suspended and resumed")
        outcome.expectSuccess("suspended GET")
        // The server holds back its response until the task has been suspended.
        let gate = LoopbackServer.Gate()
        server.route("/patient", .json(#"{"patience":"rewarded"}"#).held(until: gate))
        let task = manager.get("patient") { task, object in
            outcome.succeeded("suspended GET", task, object)
        } failure: { task, error in
            outcome.failed("suspended GET", task, error)
        }
        task.suspend()
        gate.open()
        task.resume()
        manager.completionGroup.wait()
    }

    private static func section(_ title: String) {
        print("\n== \(title)")
    }
}

struct Author: Encodable, Sendable {
    let name: String
    let year: Int
}

struct User: Codable, Sendable {
    let name: String
    let languages: [String]
}

/// The server's response to a JSON body.
struct Echo: Decodable, Sendable {
    let json: User
}
