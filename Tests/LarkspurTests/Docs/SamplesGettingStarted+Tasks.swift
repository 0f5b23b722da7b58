import Larkspur

/// The samples of `Docs/Tasks.md`, and those of calls that upload and download.
extension GettingStartedSamples {
    func waiting() {
        // sample: waiting
        for page in 1...3 {
            manager.get("users", parameters: ["page": page]) { _, object in
                print(object ?? "no content")
            }
        }
        manager.completionGroup.wait()
        print("all done")
        // end
    }

    func ownRequest() throws {
        // sample: own request
        let request = try manager.makeRequest(.get, "users", parameters: ["page": 2])

        let task = manager.dataTask(with: request) { response in
            print("\(response.statusCode ?? 0), \(response.data.count) bytes")
        }
        task.resume()
        // end
    }

    func notifications(_ request: URLRequest) -> (observer: any NSObjectProtocol, task: DataTask) {
        let task = manager.dataTask(with: request) { _ in }
        // sample: notifications
        let observer = NotificationCenter.default.addObserver(
            forName: SessionTask.didCompleteNotification,
            object: task,
            queue: nil
        ) { notification in
            guard let task = notification.sessionTask, let completion = notification.taskCompletion else { return }
            print(
                "\(task.currentRequest?.url?.path ?? "no URL"): \(completion.error?.label ?? "success"), \(completion.data?.count ?? 0) bytes"
            )
        }
        // end
        return (observer, task)
    }

    func allTasks() {
        // sample: all tasks
        for task in manager.tasks where task.currentRequest?.url?.path.hasSuffix("/slow") == true {
            task.cancel()
        }
        // end
    }

    func timeline() {
        // sample: timeline
        manager.get("users") { task, _ in
            let timeline = task.timeline
            print(timeline.latency ?? .zero)
            print(timeline.requestDuration ?? .zero)
            print(timeline.totalDuration ?? .zero)
        }
        // end
    }

    // MARK: Uploads and downloads

    func upload(_ file: URL) async throws {
        // sample: upload call
        let text = try await manager.upload("backups/1", from: .file(file), method: .put)
            .uploadProgress { progress in
                print("\(progress.completedUnitCount) of \(progress.totalUnitCount)")
            }
            .string
        print(text)
        // end
    }

    func download(_ folder: URL) {
        // sample: download
        manager.download("archive.zip", to: .folder(folder, replacing: true))
            .downloadProgress { progress in
                print("\(progress.completedUnitCount) of \(progress.totalUnitCount)")
            }
            .response { response in
                switch response.result {
                case .success(let file): print(file.lastPathComponent)
                case .failure(let error): print(error)
                }
            }
        // end
    }

    // MARK: Hooks

    func redirects() {
        // sample: redirects
        manager.hooks.willPerformHTTPRedirection = { task, response, request in
            request.url?.host == task.originalRequest?.url?.host ? request : nil
        }
        // end
    }

    func challenges() {
        // sample: challenges
        manager.hooks.challengeDisposition = { task, challenge in
            guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic else {
                return .performDefaultHandling
            }
            return .useCredential(URLCredential(user: "ada", password: "secret", persistence: .none))
        }
        // end
    }

    func responses() {
        // sample: responses
        manager.hooks.responseDisposition = { task, response in
            response.expectedContentLength > 1_000_000 ? .cancel : .allow
        }
        // end
    }

    // MARK: Serializers

    func ownSerializer() {
        // sample: own serializer in use
        manager.get("table", as: .lines) { _, lines in
            print(lines.count)
        }
        // end
    }
}
