#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

/// The transitions of a transaction, without a network.
@Suite("Transactions") struct TransactionTests {
    /// Checks the actions that an event leads to at each point, and the phase after it.
    ///
    /// - Parameters:
    ///   - expected: By point. Points that are not named are not tried, except with a default.
    ///   - others: The expectation for points that are not named; nil to leave them out.
    private func check(
        _ expected: [Point: (actions: [String], phase: String)],
        others: ((Transaction) -> (actions: [String], phase: String))? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ event: (inout Transaction) -> [Transaction.Action]
    ) throws {
        for point in Point.allCases {
            var transaction = try point.make()
            guard let (actions, phase) = expected[point] ?? others?(transaction) else { continue }
            let result = event(&transaction)
            #expect(result.map(\.name) == actions, "\(point)", sourceLocation: sourceLocation)
            #expect(transaction.phase.name == phase, "\(point)", sourceLocation: sourceLocation)
        }
    }

    // MARK: Responses

    @Test("A second response fails the transaction, unless libcurl has handled the refusal before it")
    func secondResponse() throws {
        for point in [Point.delivering, .buffering, .discardingForSame, .discardingForStored] {
            var transaction = try point.make()
            let actions = transaction.beginResponse()
            #expect(actions.map(\.name) == ["stop"])
            #expect(transaction.failure?.code == .networkConnectionLost)
            let step = transaction.receiveContent()
            #expect(step.name == "refuse")
        }
        try check([
            .awaitingResponse: ([], "awaitingResponse"),
            .bufferingRefusal: (["dropBuffered"], "awaitingResponse"),
        ]) { $0.beginResponse() }
    }

    @Test("The consequence of a response determines the use of its content")
    func consequences() throws {
        let url = try #require(URL(string: "http://host.invalid/next"))
        let table: [(Transaction.Consequence, [String], String)] = [
            (.deliver, ["deliver"], "receiving(deliver)"),
            (.ask(.redirect(to: URLRequest(url: url), keepsContent: false)), ["ask"], "receiving(buffer)"),
            (.awaitAnswer(Point.refusal), [], "receiving(bufferUnlessAnswered)"),
            (.sendAgain(readsContent: true), [], "receiving(discard sameRequest)"),
            (.sendAgain(readsContent: false), ["stop"], "receiving(discard sameRequest)"),
            (.replay(readsContent: true), [], "receiving(discard storedResponse)"),
            (.replay(readsContent: false), ["stop"], "receiving(discard storedResponse)"),
            (.fail(URLError(.badServerResponse)), ["stop"], "awaitingResponse"),
        ]
        for (consequence, actions, phase) in table {
            try check([.awaitingResponse: (actions, phase)]) { $0.receive(consequence) }
        }
    }

    @Test("The consequence of a refusal applies at the transfer's end if libcurl has not handled the refusal")
    func settlements() throws {
        let question = Transaction.Question.redirect(
            to: URLRequest(url: URL(fileURLWithPath: "/")),
            keepsContent: false
        )
        let table: [(Transaction.Consequence, [String], String)] = [
            (.deliver, ["deliver", "drain"], "draining"),
            (.ask(question), ["ask"], "asking"),
            (.sendAgain(readsContent: true), ["send same"], "draining"),
            (.fail(URLError(.badServerResponse)), ["fail badServerResponse"], "draining"),
        ]
        for (consequence, actions, phase) in table {
            var transaction = try Point.bufferingRefusal.make()
            let ended = transaction.endTransfer(Transaction.TransferEnd())
            #expect(ended.map(\.name) == ["settle"])
            let settled = transaction.receive(consequence)
            #expect(settled.map(\.name) == actions)
            #expect(transaction.phase.name == phase)
        }
    }

    @Test("The response determines the use of its content, which is refused before a response and after a failure")
    func content() throws {
        let expected: [Point: String] = [
            .awaitingResponse: "refuse", .delivering: "deliver", .buffering: "buffer", .bufferingRefusal: "settle",
            .discardingForSame: "discard", .discardingForStored: "discard",
        ]
        for (point, step) in expected {
            var transaction = try point.make()
            let result = transaction.receiveContent()
            #expect(result.name == step, "\(point)")
            #expect((transaction.failure != nil) == (step == "refuse"), "\(point)")
            transaction.note(URLError(.cannotDecodeContentData))
            let later = transaction.receiveContent()
            #expect(later.name == "refuse", "\(point)")
        }
    }

    @Test("Of several failures, the first is reported")
    func firstFailure() throws {
        var transaction = try Point.delivering.make()
        transaction.note(URLError(.cannotDecodeContentData))
        transaction.note(URLError(.cancelled))
        #expect(transaction.failure?.code == .cannotDecodeContentData)
    }

    // MARK: The end of the transfer

    @Test("The orderly end of a transfer leads to the next step that the response requires")
    func end() throws {
        try check([
            .awaitingResponse: (["fail networkConnectionLost"], "awaitingResponse"),
            .delivering: (["drain"], "draining"),
            .buffering: ([], "asking"),
            .bufferingRefusal: (["settle"], "draining"),
            .discardingForSame: (["send same"], "receiving(discard sameRequest)"),
            .discardingForStored: (["replay"], "receiving(discard storedResponse)"),
        ]) { $0.endTransfer(Transaction.TransferEnd()) }
    }

    @Test("A failure of the transfer fails the transaction, unless the response is discarded")
    func failedEnd() throws {
        let end = Transaction.TransferEnd(failure: URLError(.timedOut))
        try check([
            .awaitingResponse: (["fail timedOut"], "awaitingResponse"),
            .delivering: (["drain"], "draining after a failure"),
            .buffering: ([], "asking after a failure"),
            .bufferingRefusal: (["fail timedOut"], "receiving(bufferUnlessAnswered)"),
            .discardingForSame: (["send same"], "receiving(discard sameRequest)"),
            .discardingForStored: (["replay"], "receiving(discard storedResponse)"),
        ]) { $0.endTransfer(end) }
    }

    @Test("A transfer that the engine has stopped fails at once, and no further content is delivered")
    func stoppedEnd() throws {
        try check([.delivering: (["fail badServerResponse"], "receiving(deliver)")]) { transaction in
            transaction.note(URLError(.badServerResponse))
            return transaction.endTransfer(Transaction.TransferEnd(failure: transaction.failure))
        }
    }

    @Test("If the request's content could not be read, no redirect is followed")
    func unreadableContent() throws {
        let end = Transaction.TransferEnd(failure: URLError(.cannotOpenFile), isContentUnreadable: true)
        try check([
            .awaitingResponse: (["fail cannotOpenFile"], "awaitingResponse"),
            .buffering: (["fail cannotOpenFile"], "receiving(buffer)"),
        ]) { $0.endTransfer(end) }
    }

    @Test(
        "A transfer that failed before a response can be repeated",
        arguments: [Transaction.Repetition.same, .withNewStream]
    )
    func repetition(repetition: Transaction.Repetition) throws {
        let end = Transaction.TransferEnd(failure: URLError(.networkConnectionLost), repetition: repetition)
        try check([.awaitingResponse: (["send \(repetition)"], "awaitingResponse")]) { $0.endTransfer(end) }
    }

    @Test("The refusal of a proxy becomes the response")
    func tunnel() throws {
        try check([.awaitingResponse: (["settle"], "draining")]) { $0.endTransfer(refusedBy: Point.refusal) }
    }

    // MARK: Decisions

    @Test("A decision has an effect once, during the response and after its end")
    func decisions() throws {
        let next = URLRequest(url: URL(fileURLWithPath: "/"))
        let question = Transaction.Question.redirect(to: next, keepsContent: false)
        let table: [(Transaction.Decision, during: ([String], String), after: ([String], String))] = [
            (
                .accept,
                (["deliver", "deliverBuffered", "goOn"], "receiving(deliver)"),
                (["deliver", "deliverBuffered", "drain"], "draining")
            ),
            (.follow(next, keepsContent: true), (["follow"], "receiving(buffer)"), (["follow"], "asking")),
            (.sendAgain, (["send same"], "receiving(buffer)"), (["send same"], "asking")),
            (.ask(question), (["ask"], "receiving(buffer)"), (["ask"], "asking")),
            (
                .fail(URLError(.cancelled)),
                (["fail cancelled"], "receiving(buffer)"),
                (["fail cancelled"], "asking")
            ),
        ]
        for (decision, during, after) in table {
            let late = (after.0, "\(after.1) after a failure")
            try check([
                .buffering: during, .asking: after, .askingAfterFailure: late, .redirectedByProtocol: after,
            ]) { $0.receive(decision) }
        }
    }

    @Test("A decision without a question is ignored")
    func lateDecision() throws {
        for point in Point.allCases {
            var transaction = try point.make()
            guard transaction.question == nil else { continue }
            let phase = transaction.phase.name
            let actions = transaction.receive(.accept)
            #expect(actions.isEmpty, "\(point)")
            #expect(transaction.phase.name == phase, "\(point)")
        }
    }

    @Test("The failure of a transfer follows the content if its response is accepted")
    func acceptedAfterFailure() throws {
        var transaction = try Point.askingAfterFailure.make()
        #expect(transaction.pendingFailure == nil)
        _ = transaction.receive(.accept)
        #expect(transaction.pendingFailure?.code == .networkConnectionLost)
        #expect(transaction.failure == nil)
    }

    @Test("The challenge of a URLProtocol is taken once")
    func protocolChallenge() throws {
        var transaction = try Point.challengedByProtocol.make()
        #expect(transaction.question == nil)
        let first = transaction.takeChallenge()
        #expect(first != nil)
        let second = transaction.takeChallenge()
        #expect(second == nil)
        #expect(transaction.phase.name == "loading")
    }

    // MARK: Suspension, time and the end

    @Test("Suspending pauses the transfer or leaves the queue, and resuming undoes that")
    func suspension() throws {
        let queues: (actions: [String], phase: String) = (["leaveQueue"], "waiting")
        try check([.waiting: queues], others: { ($0.isTransferring ? ["pause"] : [], $0.phase.name) }) { $0.suspend() }
        try check(
            [
                .waiting: (["enqueue"], "waiting"), .draining: (["goOn"], "draining"),
                .drainingAfterFailure: (["goOn"], "draining after a failure"),
                .replaying: (["goOn"], "replaying"),
            ],
            others: { ($0.isTransferring ? ["goOn"] : [], $0.phase.name) }
        ) { $0.resume() }
    }

    @Test("The idle timeout runs while the network, the resolver or a redirect is awaited")
    func idleTime() throws {
        for point in Point.allCases {
            let transaction = try point.make()
            let awaitsAnswer = transaction.question != nil || point == .resolving
            #expect(transaction.runsIdleTimer(isPaused: true) == awaitsAnswer, "\(point)")
            #expect(
                transaction.runsIdleTimer(isPaused: false) == (transaction.isTransferring || awaitsAnswer),
                "\(point)"
            )
        }
    }

    @Test("The idle timeout does not run during a challenge")
    func challengeTime() throws {
        let challenge = Point.challenge("realm")
        let space = try #require(ProtectionSpace(challenge.protectionSpace))
        let demand = CredentialDemand(
            space: space,
            offers: [],
            offer: .connection(.ntlm),
            untried: nil,
            refused: nil,
            failureCount: 0
        )
        var transaction = try Point.awaitingResponse.make()
        _ = transaction.receive(Transaction.Consequence.ask(.challenge(.origin, demand, challenge)))
        #expect(transaction.runsIdleTimer(isPaused: false))
        #expect(!transaction.runsIdleTimer(isPaused: true))
        _ = transaction.endTransfer(Transaction.TransferEnd())
        #expect(!transaction.runsIdleTimer(isPaused: false))
    }

    @Test("The result of a cache look-up is accepted once")
    func lookUp() throws {
        for point in Point.allCases {
            var transaction = try point.make()
            let isAwaited = transaction.endLookUp()
            #expect(isAwaited == (point == .lookingUp), "\(point)")
            if point == .lookingUp { #expect(transaction.phase.name == "waiting") }
            let isAwaitedAgain = transaction.endLookUp()
            #expect(!isAwaitedAgain, "\(point)")
        }
    }

    @Test("The result of the resolver is accepted once")
    func resolving() throws {
        for point in Point.allCases {
            var transaction = try point.make()
            let isAwaited = transaction.endResolving()
            #expect(isAwaited == (point == .resolving), "\(point)")
            if point == .resolving { #expect(transaction.phase.name == "waiting") }
            let isAwaitedAgain = transaction.endResolving()
            #expect(!isAwaitedAgain, "\(point)")
        }
    }

    @Test("A stored response replaces a failure")
    func replay() throws {
        var transaction = try Point.delivering.make()
        transaction.note(URLError(.timedOut))
        transaction.beginReplay()
        #expect(transaction.failure == nil)
        #expect(transaction.phase.name == "replaying")
    }

    @Test("A transaction ends once, in every phase")
    func finish() throws {
        for point in Point.allCases {
            var transaction = try point.make()
            let isFirst = transaction.end()
            #expect(isFirst == (point != .ended), "\(point)")
            let isFirstAgain = transaction.end()
            #expect(!isFirstAgain, "\(point)")
            let late = transaction.receive(.accept)
            #expect(late.isEmpty, "\(point)")
        }
    }
}
#endif
