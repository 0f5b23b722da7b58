import Larkspur

/// The samples of `Docs/Hooks.md`, and those about streaming and copies; their output is recorded.
struct HookSamples: Sendable {
    let manager: SessionManager
    let output = Recorder<String>()

    private func print(_ item: Any) { output.record("\(item)") }

    func metrics() {
        // sample: metrics hook
        manager.hooks.didCollectMetrics = { task, timeline in
            print("\(timeline.transactions.count) requests, \(timeline.requestDuration ?? .zero)")
        }
        // end
    }

    func becomingDownload(_ folder: URL) {
        // sample: becoming a download
        manager.hooks.responseDisposition = { task, response in
            response.expectedContentLength > 1_000_000 ? .download : .allow
        }
        manager.hooks.didBecomeDownload = { dataTask, downloadTask in
            print("\(dataTask.originalRequest?.url?.path ?? "") goes on as a download")
        }
        manager.hooks.downloadDestination = { task, file, response in
            folder.appendingPathComponent(response?.url?.lastPathComponent ?? "file")
        }
        // end
    }

    func ofOneCall(_ request: URLRequest, _ credential: URLCredential) {
        // sample: hooks of one call
        var hooks = SessionHooks()
        hooks.willPerformHTTPRedirection = { task, response, request in nil }

        manager.get("moved", options: CallOptions(hooks: hooks)) { task, object in
            print(object ?? "no content")
        } failure: { task, error in
            print("\(error.statusCode ?? 0), not followed")
        }

        let task = manager.dataTask(with: request) { response in
            print(response.statusCode ?? 0)
        }
        task.hooks.challengeAnswer = { task, challenge in .useCredential(credential) }
        task.hooks.willCacheResponse = { task, proposed in nil }
        task.resume()
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

    func copy() -> SessionManager {
        // sample: copying
        let other = manager.copy()
        other.headers["Accept"] = "text/plain"
        // end
        return other
    }
}
