import Larkspur
import TestSupport

/// The samples of `Docs/Tasks.md` about observation, each between two markers; what they print is noted.
struct ObservationSamples: Sendable {
    let manager: SessionManager
    let file: URL
    let output = Recorder<String>()
    let lines = Recorder<String>()

    private func print(_ items: Any...) { output.record(items.map { "\($0)" }.joined(separator: " ")) }

    func logger() {
        // sample: logger
        manager.observers = [ConsoleLogger()]
        // end
    }

    func ownLog() {
        // sample: own log
        let log = ConsoleLogger(level: .failures, redaction: .standard.hiding(["X-Tenant"])) { line in
            lines.record(line)
        }
        manager.observers.append(log)
        // end
    }

    func archive() async throws {
        // sample: archive
        let recorder = HARRecorder()
        manager.observers.append(recorder)
        _ = try await manager.get("users").data
        try recorder.write(to: file)
        // end
    }

    func measurements() {
        // sample: measurements
        manager.observers.append(
            HTTPMeasurements { measurement in
                print(measurement.name, measurement.value, measurement.unit, measurement.attributes)
            }
        )
        // end
    }

    func events() async throws {
        // sample: events
        manager.observe([.retryScheduled, .completed]) { event in
            switch event.kind {
            case .retryScheduled: print("again, because of \(event.reason ?? "")")
            default: print(event.callID, event.attempt, event.error?.code.label ?? "success")
            }
        }

        let task = manager.get("users").observe { event in print(event) }
        _ = try await task.data
        // end
    }

    func sequence() async throws {
        // sample: sequence
        let events = manager.callEvents([.completed])
        _ = try await manager.get("users").data
        for await event in events {
            print(event.request?.url?.path ?? "", event.httpResponse?.statusCode ?? 0)
            break
        }
        // end
    }
}
