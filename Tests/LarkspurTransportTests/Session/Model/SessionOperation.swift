#if canImport(FoundationNetworking)
import TestSupport

/// One step of a random sequence: something that a program may do with a session or with one of its tasks.
struct SessionOperation: Sendable, CustomStringConvertible {
    enum Kind: String, CaseIterable, CustomStringConvertible, Sendable {
        case data, download, upload, handledData, handledDownload, handledUpload
        /// A task of an async function, whose Swift task may be cancelled.
        case awaited, cancelledAwait
        /// A sequence of bytes that is left after some of them.
        case bytes

        var description: String { rawValue }
        var hasHandler: Bool { self == .handledData || self == .handledDownload || self == .handledUpload }
        var isDownload: Bool { self == .download || self == .handledDownload }
    }

    enum Behaviour: String, CaseIterable, CustomStringConvertible, Sendable {
        case prompt, large, redirect, held, broken, never

        var description: String { rawValue }
    }

    /// An order to a task.
    enum Order: CaseIterable, Sendable {
        case cancel, cancelKeepingData, suspend, resume

        var cancels: Bool { self == .cancel || self == .cancelKeepingData }
    }

    /// A closure or a method of the delegate, which is called at some time of a task.
    enum Occasion: CaseIterable, Sendable {
        case redirect, response, caching, data, file, sent, written, resumed, metrics, completed, handled
        case resumeData, getTasks, reset, flush
    }

    enum Action: Sendable {
        case create(Int, Kind, Behaviour)
        case resume(Int), suspend(Int), cancel(Int), cancelKeepingData(Int), prioritize(Int), setDelegate(Int)
        case read(Int), release(Int), drop(Int)
        /// Gives an order to a task from within a closure or a method of the delegate, once.
        case give(Int, Order, Occasion)
        case getTasks, reset, flush
        case finish, invalidate
        /// Releases the program's reference to the session.
        case dropSession
    }

    let thread: Int
    let action: Action
    let pauses: Int

    static let threadCount = 3

    var description: String { "\(thread): \(action)" }

    /// Returns a random sequence.
    static func sequence(using random: inout SeededGenerator) -> [SessionOperation] {
        let density = Int.random(in: 2...8, using: &random)
        var tasks = 0
        return (0..<Int.random(in: 4...40, using: &random)).map { _ in
            let creates = tasks == 0 || Int.random(in: 0..<density, using: &random) == 0
            defer { if creates { tasks += 1 } }
            let thread = Int.random(in: 0..<threadCount, using: &random)
            let pauses = Bool.random(using: &random) ? 0 : Int.random(in: 0...60, using: &random)
            let kind = Kind.allCases.randomElement(using: &random) ?? .data
            let behaviours = Behaviour.allCases + [.prompt, .prompt]
            let behaviour = behaviours.randomElement(using: &random) ?? .prompt
            let action: Action =
                creates
                ? .create(tasks, kind, behaviour)
                : .random(of: Int.random(in: max(0, tasks - 4)..<tasks, using: &random), using: &random)
            return SessionOperation(thread: thread, action: action, pauses: pauses)
        }
    }
}

extension SessionOperation.Action {
    fileprivate static func random(of task: Int, using random: inout SeededGenerator) -> Self {
        let flag = Bool.random(using: &random)
        return switch Int.random(in: 0..<47, using: &random) {
        case 0...9: .resume(task)
        case 10...14: .suspend(task)
        case 15...18: .cancel(task)
        case 19, 20: .cancelKeepingData(task)
        case 21, 22: .prioritize(task)
        case 23, 24: .setDelegate(task)
        case 25, 26: .read(task)
        case 27, 28: .release(task)
        case 29, 30: .drop(task)
        case 31, 32: .getTasks
        case 33: .reset
        case 34: .flush
        case 35 where flag: .finish
        case 36 where flag: .invalidate
        case 37 where flag: .dropSession
        case 38...44:
            .give(
                task,
                SessionOperation.Order.allCases.randomElement(using: &random) ?? .cancel,
                SessionOperation.Occasion.allCases.randomElement(using: &random) ?? .response
            )
        default: .resume(task)
        }
    }
}
#endif
