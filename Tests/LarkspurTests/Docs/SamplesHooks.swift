import Larkspur

/// The samples of `Docs/Tasks.md` about hooks of one call and about streaming; their output is recorded.
struct HookSamples: Sendable {
    let manager: SessionManager
    let output = Recorder<String>()

    private func print(_ item: Any) { output.record("\(item)") }

    func ofOneCall() {
        // sample: hooks of one call
        var hooks = SessionHooks()
        hooks.willPerformHTTPRedirection = { task, response, request in nil }

        manager.get("moved", options: CallOptions(hooks: hooks)) { task, object in
            print(object ?? "no content")
        } failure: { task, error in
            print("\(error.statusCode ?? 0), not followed")
        }
        // end
    }

    func streaming(_ request: URLRequest) {
        // sample: streaming
        let task = manager.dataTask(with: request).responseStream { task, data in
            print("\(data.count) bytes")
        } completionHandler: { response in
            print("\(response.value ?? 0) bytes in all")
        }
        task.resume()
        // end
    }
}
