import Larkspur
import LarkspurCurlCommands

/// The samples of `Docs/CurlCommands.md`, each between two markers; what they print is noted.
struct CurlCommandSamples: Sendable {
    let manager: SessionManager
    let output = Recorder<String>()

    private func print(_ item: Any) { output.record("\(item)") }

    func describe() async {
        // sample: describe a request
        let task = manager.post("users", parameters: ["name": "Ada", "password": "secret"])
        let response = await task.response()
        if let error = response.error { print("\(error)\n\(task.cURLDescription())") }
        // end
    }

    func redaction(_ request: URLRequest) {
        // sample: redaction
        let rule = Redaction.standard.hiding(["X-Tenant", "iban"])
        print(request.cURLDescription(redaction: rule))
        // end
    }

    func read() async throws {
        // sample: read a command
        let command = try CurlCommand(
            #"curl -H "Authorization: Bearer $TOKEN" -d name=Ada http://localhost:8080/users | jq ."#,
            variables: ["TOKEN": "t0ken"]
        )
        print(command.request.httpMethod ?? "")
        for option in command.ignoredOptions { print("not in the request: \(option)") }
        // end
    }
}
