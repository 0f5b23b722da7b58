import Larkspur
import Synchronization

/// A record of the calls, which prints the end of each and remembers whether it was the expected one.
final class Outcome: Sendable {
    private struct State {
        var expectations: [String: Bool] = [:]
        var surprises = 0
    }

    private let state = Mutex(State())

    func expectSuccess(_ name: String) { state.withLock { $0.expectations[name] = true } }

    func expectFailure(_ name: String) { state.withLock { $0.expectations[name] = false } }

    func succeeded(_ name: String, _ task: DataTask, _ object: Any?) {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        print("   success: \(name) \(status) \(object.map { "\($0)" } ?? "no content")")
        settle(name, succeeded: true)
    }

    func failed(_ name: String, _ task: DataTask?, _ error: LarkspurError) {
        print("   failure: \(name): \(error)")
        if let body = error.responseData, !body.isEmpty {
            print("   its body: \(String(decoding: body, as: UTF8.self))")
        }
        settle(name, succeeded: false)
    }

    private func settle(_ name: String, succeeded: Bool) {
        state.withLock { state in
            if state.expectations.removeValue(forKey: name) != succeeded { state.surprises += 1 }
        }
    }

    /// The exit status: 0 if every call ended as expected.
    var exitStatus: Int32 {
        state.withLock { $0.surprises == 0 && $0.expectations.isEmpty ? 0 : 1 }
    }
}
