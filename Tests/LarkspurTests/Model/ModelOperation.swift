import TestSupport

@testable import Larkspur

/// One step of a random sequence: something that a program may do with a session manager or with one of its calls.
struct ModelOperation: Sendable, CustomStringConvertible {
    /// The kind of call that an operation makes.
    enum Kind: String, CaseIterable, CustomStringConvertible, Sendable {
        /// A call with closures, which starts at once.
        case closures
        /// A task with a completion handler, which waits for `resume()`.
        case task
        /// A call that starts with its first handler.
        case chain
        /// A call that is awaited at once.
        case awaited
        case upload
        /// An upload whose content is produced while it is sent.
        case produced
        case download
        /// A download that continues an earlier one, if that has left resume data.
        case continuation
        /// A loop over an event stream, which connects again until the loop is left.
        case events
        case webSocket

        var description: String { rawValue }
    }

    /// The behaviour of the server.
    enum Behaviour: String, CaseIterable, CustomStringConvertible, Sendable {
        case prompt, large, redirect, unavailable
        /// The head or the rest of the content waits for a gate.
        case heldHead = "held-head"
        case heldContent = "held-content"
        case broken
        case never

        var description: String { rawValue }
    }

    /// An interceptor of later calls.
    enum Interceptor: String, CaseIterable, CustomStringConvertible, Sendable {
        case retrying, delaying, failing, substituting
        /// A rate limit whose store fails at random. Without the store it uses half of the rate, or sends nothing.
        case sharing, refusing

        var description: String { rawValue }
    }

    /// An order to a call.
    enum Order: String, CaseIterable, CustomStringConvertible, Sendable {
        case cancel, cancelKeepingData, suspend, resume

        var description: String { rawValue }

        var cancels: Bool { self == .cancel || self == .cancelKeepingData }
    }

    /// A closure of the program, which is called at some time of a call.
    enum Occasion: Hashable, CustomStringConvertible, Sendable {
        case event(CallEvent.Kind)
        case notification
        case hook(Hook)
        /// An interceptor, before and after the rest of the chain.
        case interception, interceptionEnd
        case handler, uploadProgress, downloadProgress, writer, chunk, resumeData, validation

        /// The hooks that are called for the calls of a run.
        enum Hook: String, CaseIterable, Sendable {
            case redirect, disposition, data, caching, destination, sent, written, metrics, end
        }

        static let allCases: [Occasion] =
            CallEvent.Kind.allCases.map(Occasion.event) + Hook.allCases.map(Occasion.hook)
            + [
                .notification, .interception, .interceptionEnd, .handler, .uploadProgress, .downloadProgress, .writer,
                .chunk, .resumeData, .validation,
            ]

        var description: String {
            switch self {
            case .event(let kind): "event \(kind)"
            case .hook(let hook): "hook \(hook)"
            case .notification: "notification"
            case .interception: "interceptor"
            case .interceptionEnd: "interceptor's end"
            case .handler: "handler"
            case .uploadProgress: "upload's progress"
            case .downloadProgress: "download's progress"
            case .writer: "writer"
            case .chunk: "chunk"
            case .resumeData: "resume data"
            case .validation: "validation"
            }
        }
    }

    /// A step, with the number of the call that it is about.
    enum Action: Sendable {
        case create(Int, Kind, Behaviour)
        case resume(Int), suspend(Int), cancel(Int)
        case cancelKeepingData(Int)
        case handle(Int, onOwnQueue: Bool)
        /// Awaits the response. If `isCancelled`, the awaiting Swift task is cancelled.
        case await(Int, isCancelled: Bool)
        /// Iterates over the content, and leaves the loop after some chunks.
        case iterate(Int, chunks: Int)
        case open(Int, reads: Bool)
        case observe(Int)
        case progress(Int)
        case read(Int)
        case release(Int)
        /// Releases the program's reference to the task.
        case drop(Int)
        case observeAll, ignoreAll
        case intercept(Interceptor, perAttempt: Bool), stopIntercepting
        case change(Int)
        /// Gives an order to the call from within one of the program's closures, once.
        case give(Int, Order, Occasion)
        case invalidate(cancels: Bool, resets: Bool)
        /// Releases the program's reference to the manager.
        case dropManager
    }

    /// The thread that takes the step.
    let thread: Int
    let action: Action
    /// The number of times that the thread leaves the processor before.
    let pauses: Int

    static let threadCount = 3

    var description: String { "\(thread): \(action)" }

    /// The number of the call that the step is about; nil if it is about the manager.
    var call: Int? {
        switch action {
        case .create(let call, _, _), .resume(let call), .suspend(let call), .cancel(let call),
            .cancelKeepingData(let call), .handle(let call, _), .await(let call, _), .iterate(let call, _),
            .open(let call, _), .observe(let call), .progress(let call), .read(let call), .release(let call),
            .drop(let call), .give(let call, _, _):
            call
        case .observeAll, .ignoreAll, .intercept, .stopIntercepting, .change, .invalidate, .dropManager: nil
        }
    }
}

extension ModelOperation {
    /// Returns a random sequence.
    static func sequence(using random: inout SeededGenerator) -> [ModelOperation] {
        // Some runs have many calls for which little is done, others few with much.
        let density = Int.random(in: 2...8, using: &random)
        var calls = 0
        return (0..<Int.random(in: 4...40, using: &random)).map { _ in
            let creates = calls == 0 || Int.random(in: 0..<density, using: &random) == 0
            defer { if creates { calls += 1 } }
            if !creates, Int.random(in: 0..<5, using: &random) == 0 {
                let call = Int.random(in: max(0, calls - 4)..<calls, using: &random)
                return ModelOperation(thread: 0, action: order(to: call, using: &random), pauses: 0)
            }
            return ModelOperation(
                thread: Int.random(in: 0..<threadCount, using: &random),
                action: creates
                    ? creation(calls, using: &random)
                    : .random(of: Int.random(in: max(0, calls - 4)..<calls, using: &random), using: &random),
                pauses: Bool.random(using: &random) ? 0 : Int.random(in: 0...60, using: &random)
            )
        }
    }

    private static func order(to call: Int, using random: inout SeededGenerator) -> Action {
        // The first events are the ones that every call has.
        let events: [CallEvent.Kind] = [.created, .resumed, .attemptStarted]
        let occasions = Occasion.allCases + events.map(Occasion.event)
        return .give(
            call,
            Order.allCases.randomElement(using: &random) ?? .cancel,
            occasions.randomElement(using: &random) ?? .event(.created)
        )
    }

    private static func creation(_ call: Int, using random: inout SeededGenerator) -> Action {
        let kinds = Kind.allCases + [.chain, .chain, .chain, .task, .download]
        let behaviours = Behaviour.allCases + [.prompt, .prompt, .heldContent]
        return .create(
            call,
            kinds.randomElement(using: &random) ?? .chain,
            behaviours.randomElement(using: &random) ?? .prompt
        )
    }
}

extension ModelOperation.Action {
    fileprivate static func random(of call: Int, using random: inout SeededGenerator) -> Self {
        let flag = Bool.random(using: &random)
        switch Int.random(in: 0..<40, using: &random) {
        case 0...5: return .resume(call)
        case 6...9: return .suspend(call)
        case 10...12: return .cancel(call)
        case 13: return .cancelKeepingData(call)
        case 14...16: return .handle(call, onOwnQueue: flag)
        case 17...19: return .await(call, isCancelled: Int.random(in: 0..<4, using: &random) == 0)
        case 20, 21: return .iterate(call, chunks: Int.random(in: 0...3, using: &random))
        case 22: return .open(call, reads: flag)
        case 23, 24: return .observe(call)
        case 25: return .progress(call)
        case 26: return .read(call)
        case 27, 28: return .release(call)
        case 29, 30: return .drop(call)
        case 31: return flag ? .observeAll : .ignoreAll
        case 32, 33:
            let interceptor = ModelOperation.Interceptor.allCases.randomElement(using: &random) ?? .retrying
            return .intercept(interceptor, perAttempt: flag)
        case 34: return .stopIntercepting
        case 35, 36: return .change(Int.random(in: 0..<6, using: &random))
        case 37 where flag: return .invalidate(cancels: Bool.random(using: &random), resets: true)
        case 38 where flag: return .invalidate(cancels: Bool.random(using: &random), resets: false)
        case 39 where flag: return .dropManager
        default: return .resume(call)
        }
    }
}
