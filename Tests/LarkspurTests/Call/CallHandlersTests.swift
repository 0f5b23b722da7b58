import Testing

@testable import Larkspur

@Suite("The handlers of a call")
struct CallHandlersTests {
    private final class Handler: CallHandler, @unchecked Sendable {  // Safe: it has no mutable state.
        private let isQuickHandler: Bool
        private let isAwait: Bool
        private let isDecoded: Bool

        init(_ kind: Kind) {
            isQuickHandler = kind == .quick || kind == .quickAwait
            isAwait = kind == .quickAwait || kind == .decodingAwait || kind == .slowAwait
            isDecoded = kind == .decodingAwait
            super.init(queue: nil)
        }

        override var isQuick: Bool { isQuickHandler }
        override var mayAwaiterSerialize: Bool { isQuickHandler || isDecoded }
        override var resume: (@Sendable (TransferResult) -> Void)? {
            guard isAwait else { return nil }
            return { _ in }
        }
    }

    enum Kind: Sendable {
        case quick
        case quickAwait
        case decodingAwait
        case slowAwait
        case slow
    }

    enum Place: Sendable {
        case awaiter
        case queue
        case processing
    }

    struct Row: Sendable {
        var handlers: [Kind]
        var isQuickWithout = false
        var isUnseen = false
        var mayUseQueue = true
        let place: Place
        /// Whether handlers that are added afterwards are served with the others: a quick one, and a slow one.
        let admitsQuick: Bool
        let admitsSlow: Bool

        static func row(
            _ handlers: [Kind],
            without isQuickWithout: Bool = false,
            isUnseen: Bool = false,
            mayUseQueue: Bool = true,
            _ place: Place
        ) -> Row {
            Row(
                handlers: handlers,
                isQuickWithout: isQuickWithout,
                isUnseen: isUnseen,
                mayUseQueue: mayUseQueue,
                place: place,
                admitsQuick: place != .awaiter,
                admitsSlow: place == .processing
            )
        }
    }

    static let table: [Row] = [
        .row([], .processing),
        .row([], without: true, .queue),
        .row([], without: true, mayUseQueue: false, .processing),
        .row([.quick], .queue),
        .row([.quick], isUnseen: true, .queue),
        .row([.quick], mayUseQueue: false, .processing),
        .row([.slow], without: true, .processing),
        .row([.quick, .slow], .processing),
        .row([.quickAwait], .queue),
        .row([.quickAwait], isUnseen: true, .awaiter),
        .row([.quickAwait], isUnseen: true, mayUseQueue: false, .awaiter),
        .row([.quickAwait, .quick], isUnseen: true, .queue),
        .row([.quickAwait, .slow], isUnseen: true, .processing),
        .row([.decodingAwait], .processing),
        .row([.decodingAwait], isUnseen: true, .awaiter),
        .row([.decodingAwait], isUnseen: true, mayUseQueue: false, .awaiter),
        .row([.decodingAwait, .quick], isUnseen: true, .processing),
        .row([.slowAwait], isUnseen: true, .processing),
    ]

    @Test(
        "The kinds of the handlers decide where a response is serialized, and which later handlers are served",
        arguments: table
    )
    func route(_ row: Row) {
        var handlers = CallHandlers()
        for kind in row.handlers { _ = handlers.add(Handler(kind)) }

        let route = handlers.route(
            without: row.isQuickWithout,
            isUnseen: row.isUnseen,
            mayUseQueue: row.mayUseQueue
        )
        let place: Place =
            switch route {
            case .awaiter: .awaiter
            case .completionQueue: .queue
            case .processing: .processing
            }
        #expect(place == row.place)

        let (served, late) = handlers.take()
        #expect(served.count == (place == .awaiter ? 0 : row.handlers.count))
        #expect(late.isEmpty)
        for (kind, isAdmitted) in [(Kind.quick, row.admitsQuick), (.slow, row.admitsSlow)] {
            _ = handlers.add(Handler(kind))
            let (served, late) = handlers.take()
            #expect(served.count == (isAdmitted ? 1 : 0))
            #expect(late.count == (isAdmitted ? 0 : 1))
        }
    }

    @Test("A late handler waits for the report of the end, and gets resume data only before the report")
    func end() {
        var handlers = CallHandlers()
        let result = TransferResult(request: nil, received: nil, data: Data())
        let ending = CallEnding(result, .none)
        #expect(!handlers.wantsResumeData)
        let isStored = handlers.add { (_: Data?) in }
        #expect(isStored)
        #expect(handlers.wantsResumeData)

        handlers.ending = ending
        let early = handlers.add(Handler(.quick))
        #expect(early == nil)
        handlers.postpone([Handler(.slow)])
        let (served, late) = handlers.take()
        #expect(served.isEmpty && late.isEmpty)
        let waiting = [handlers.report().count, handlers.report().count]
        #expect(waiting == [2, 0])
        let stored = handlers.add(Handler(.quick))
        #expect(stored === ending)

        let error = StoredError(LarkspurError(.timedOut, "late"))
        let callbacks = [handlers.end(with: error).count, handlers.end(with: error).count]
        #expect(callbacks == [1, 0])
        #expect(handlers.hasEnded)
        #expect(handlers.error === error)
        let isStoredLate = handlers.add { (_: Data?) in }
        #expect(!isStoredLate)
    }
}
