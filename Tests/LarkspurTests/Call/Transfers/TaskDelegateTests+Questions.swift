import HTTPSyntax
import LarkspurTransport
import Synchronization
import Testing

@testable import Larkspur

extension TaskDelegateTests {
    // MARK: Redirects

    private func makeRedirect(to text: String) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: text)))
        request.setValue("secret", forHTTPHeaderField: "X-Token")
        return request
    }

    @Test(
        "A redirect is followed, and a redirect to another origin without the fields with credentials",
        arguments: ["http://origin.test/other", "http://other.test/"]
    )
    func redirect(_ target: String) throws {
        var template = TransferTemplate.data
        template.withheldFields = ["x-token"]
        let call = Performance<DataTask>(URLRequest(url: url), template)
        let request = try #require(
            now(call.delegate.redirect(try makeResponse(302), to: try makeRedirect(to: target))) ?? nil
        )
        #expect(request.url?.absoluteString == target)
        #expect(request.value(forHTTPHeaderField: "X-Token") == (target.contains("other.test") ? nil : "secret"))
    }

    @Test("A hook may change the request of a redirect")
    func changedRedirect() async throws {
        let call = makeData()
        call.task.hooks.willPerformHTTPRedirection = { _, _, request in
            var request = request
            request.setValue("b", forHTTPHeaderField: "A")
            return request
        }
        let answer = call.delegate.redirect(try makeResponse(302), to: try makeRedirect(to: "http://other.test/"))
        #expect(try await value(answer)?.value(forHTTPHeaderField: "A") == "b")
    }

    @Test("A hook's request that cannot be sent fails the transfer")
    func invalidRedirect() async throws {
        let call = makeData()
        call.task.hooks.willPerformHTTPRedirection = { _, _, request in
            var request = request
            request.httpMethod = "not a token"
            return request
        }
        let answers = Answers<URLRequest?>()
        answers.ask(call.delegate.redirect(try makeResponse(302), to: try makeRedirect(to: "http://other.test/")))
        call.waitForHooks()
        #expect(answers.isEmpty && answers.isOpen && call.task.state == .canceling)
        #expect(try call.end(with: URLError(.cancelled)).error?.code == .invalidMethod)
        #expect(!answers.isOpen)
    }

    @Test(
        "A refused redirect becomes the response, also if the transport cannot refuse redirects",
        arguments: [true, false]
    )
    func refusedRedirect(canRefuse: Bool) throws {
        let call = makeData(adapter: LimitedAdapter(canRefuseRedirect: canRefuse))
        call.task.hooks.willPerformHTTPRedirection = { _, _, _ in nil }
        let answers = Recorder<URLRequest?>()
        let response = try makeResponse(302)
        call.delegate.redirect(response, to: try makeRedirect(to: "http://other.test/")).give { answers.record($0) }
        call.waitForHooks()
        #expect(answers.values.count == (canRefuse ? 1 : 0))
        // Without the task's own cancellation.
        #expect(call.task.state == .running)
        guard !canRefuse else { return }
        #expect(call.transfer.controls.values.last == .cancel)
        let result = try call.end(with: URLError(.cancelled))
        #expect(result.response === response && result.error == nil)
    }

    // MARK: Challenges

    private final class Sender: NSObject, URLAuthenticationChallengeSender {
        func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
        func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
        func cancel(_ challenge: URLAuthenticationChallenge) {}
        func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
        func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
    }

    private func makeChallenge(failures: Int = 0) -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
            protectionSpace: URLProtectionSpace(
                host: "origin.test",
                port: 80,
                protocol: "http",
                realm: "realm",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic
            ),
            proposedCredential: nil,
            previousFailureCount: failures,
            failureResponse: nil,
            error: nil,
            sender: Sender()
        )
    }

    @Test("A challenge without a hook is handled by default")
    func defaultChallenge() async throws {
        let answer = try await value(makeData().delegate.answer(makeChallenge()))
        #expect(answer.0 == .performDefaultHandling && answer.1 == nil)
    }

    @Test("A credential that was just refused is not sent again, but another credential is", arguments: [true, false])
    func refusedCredential(isOther: Bool) async throws {
        let call = makeData()
        let passwords = Mutex(isOther ? ["first", "second"] : ["first", "first"])
        call.task.hooks.challengeDisposition = { _, _ in
            let password = passwords.withLock { $0.removeFirst() }
            return .useCredential(URLCredential(user: "user", password: password, persistence: .none))
        }
        let first = try await value(call.delegate.answer(makeChallenge()))
        #expect(first.0 == .useCredential && first.1?.password == "first")
        let second = try await value(call.delegate.answer(makeChallenge(failures: 1)))
        #expect(second.0 == (isOther ? .useCredential : .rejectProtectionSpace))
    }

    @Test("A hook that cancels or fails a challenge cancels the task", arguments: [true, false])
    func cancelledChallenge(hasError: Bool) throws {
        let call = makeData()
        call.task.hooks.challengeDisposition = { _, _ in hasError ? .fail(CocoaError(.userCancelled)) : .cancel }
        let answers = Answers<ChallengeDecision>()
        answers.ask(call.delegate.answer(makeChallenge()))
        call.waitForHooks()
        #expect(answers.isEmpty && answers.isOpen && call.task.state == .canceling)
        let error = try call.end(with: URLError(.cancelled)).error
        #expect(!answers.isOpen)
        #expect(error?.code == .cancelled)
        #expect((error?.underlyingError is CocoaError) == hasError)
    }
}
