import Larkspur
import LarkspurActivity
import LarkspurReachability

/// The samples of `Docs/Reachability.md`, each between two markers; what they print and show is recorded.
struct ReachabilitySamples: Sendable {
    let output = Recorder<String>()

    private func print(_ item: Any) { output.record("\(item)") }
    private func show(_ item: Any) { output.record("\(item)") }

    func failure(_ manager: SessionManager, _ reachability: NetworkReachabilityManager) -> SessionTask {
        // sample: reachability after a failure
        let task = manager.get(
            "news",
            success: { _, news in
                show(news ?? "nothing")
            },
            failure: { _, error in
                if !reachability.isReachable { show("You seem to be offline.") }
            }
        )
        // end
        return task
    }

    func again(_ reachability: NetworkReachabilityManager, load: () async throws -> Void) async throws {
        // sample: reachability before trying again
        for await status in reachability.statusUpdates where status.isReachable {
            try await load()
            break
        }
        // end
    }

    func watching() -> NetworkReachabilityManager {
        // sample: watching reachability
        let reachability = NetworkReachabilityManager()
        reachability.setStatusChangeHandler { status in
            print(status)
        }
        reachability.startMonitoring()
        // end
        return reachability
    }

    func targets() -> [NetworkReachabilityManager?] {
        // sample: what is watched
        let network = NetworkReachabilityManager()
        let host = NetworkReachabilityManager(host: "example.org")
        let address = NetworkReachabilityManager(address: "192.0.2.1")
        // end
        return [network, host, address]
    }

    func unavailable(_ reachability: NetworkReachabilityManager) {
        // sample: reachability is not told
        if let reason = reachability.unavailabilityReason {
            print(reason)
        }
        // end
    }

    func activity() -> NetworkActivityMonitor {
        // sample: activity with a spinner
        let spinner = Spinner(label: "Loading")
        let monitor = NetworkActivityMonitor.shared
        monitor.setActivityHandler { isActive in
            if isActive { spinner.start() } else { spinner.stop() }
        }
        monitor.isEnabled = true
        // end
        return monitor
    }

    func monitor() -> NetworkActivityMonitor {
        // sample: an activity monitor of one's own
        let ownMonitor = NetworkActivityMonitor(activationDelay: .zero) { task in
            task.originalRequest?.url?.host == "example.org"
        }
        // end
        return ownMonitor
    }

    func bar(_ manager: SessionManager, _ folder: URL) async throws {
        // sample: a progress bar on a terminal
        let task = manager.download("disk.iso", to: .folder(folder, replacing: true))
            .downloadProgress { progress in ProgressBar(progress, label: "disk.iso").draw() }
        let file = try await task.file
        ProgressBar(task.downloadProgress, label: "disk.iso").draw(isLast: true)
        print(file.lastPathComponent)
        // end
    }
}
