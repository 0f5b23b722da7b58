import Testing

@testable import Larkspur

@Suite("Decisions about another attempt")
struct RetryDecisionTests {
    private let policy = RetryPolicy(budget: nil)
    private let now = Date(timeIntervalSince1970: 784_111_777)

    private func request(_ method: String = "GET", _ fields: [String: String] = [:]) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "https://example.com/a")))
        request.httpMethod = method
        request.allHTTPHeaderFields = fields
        return request
    }

    private func attempt(
        _ count: Int = 1,
        method: String = "GET",
        requestFields: [String: String] = [:],
        status: Int = 503,
        fields: [String: String] = [:],
        elapsed: Duration = .zero
    ) throws -> RetryAttempt {
        let request = try request(method, requestFields)
        let response = HTTPURLResponse(
            url: try #require(request.url),
            statusCode: status,
            httpVersion: "HTTP/1.1",
            headerFields: fields
        )
        let result = InterceptedResponse(request: request, response: response)
        return RetryAttempt(request: request, count: count, result: .success(result), elapsed: elapsed)
    }

    private func attempt(error: any Error) throws -> RetryAttempt {
        RetryAttempt(request: try request(), count: 1, result: .failure(error), elapsed: .zero)
    }

    private func decide(_ attempt: RetryAttempt, random: Double = 1, by policy: RetryPolicy? = nil) -> RetryDecision {
        (policy ?? self.policy).decision(after: attempt, random: random, now: now)
    }

    @Test("Requests with idempotent methods are repeated, and other requests only with an Idempotency-Key")
    func methods() throws {
        for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "PROPFIND", "REPORT", "MKCOL"] {
            #expect(try decide(attempt(method: method)) == .retry(after: .milliseconds(500)), "\(method)")
        }
        for method in ["POST", "PATCH", "CONNECT", "LOCK", "FROB"] {
            #expect(try decide(attempt(method: method)) == .done(.repeatability), "\(method)")
            #expect(
                try decide(attempt(method: method, requestFields: ["idempotency-key": "1"]))
                    == .retry(after: .milliseconds(500)),
                "\(method)"
            )
            #expect(
                try decide(attempt(method: method, requestFields: ["Idempotency-Key": " "])) == .done(.repeatability),
                "\(method)"
            )
        }
    }

    @Test("Only statuses of temporary failures are repeated")
    func statuses() throws {
        let repeated = try (100..<600).filter { try decide(attempt(status: $0)) != .done(nil) }
        #expect(repeated == [408, 425, 429, 500, 502, 503, 504])
    }

    @Test("Only errors of temporary failures are repeated")
    func errors() throws {
        let repeated: [URLError.Code] = [
            .backgroundSessionInUseByAnotherProcess, .backgroundSessionWasDisconnected, .badServerResponse,
            .callIsActive, .cannotConnectToHost, .cannotFindHost, .cannotLoadFromNetwork, .dataNotAllowed,
            .dnsLookupFailed, .downloadDecodingFailedMidStream, .downloadDecodingFailedToComplete,
            .internationalRoamingOff, .networkConnectionLost, .notConnectedToInternet, .secureConnectionFailed,
            .timedOut,
        ]
        for code in repeated {
            let error = LarkspurError(transportError: URLError(code))
            #expect(try decide(attempt(error: error)) == .retry(after: .milliseconds(500)), "\(code)")
        }
        let final: [URLError.Code] = [
            .cancelled, .serverCertificateHasBadDate, .serverCertificateNotYetValid, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .clientCertificateRequired, .clientCertificateRejected, .badURL,
            .unsupportedURL, .httpTooManyRedirects, .cannotParseResponse, .cannotDecodeContentData,
            .appTransportSecurityRequiresSecureConnection, .dataLengthExceedsMaximum, .fileDoesNotExist, .unknown,
            .resourceUnavailable,
        ]
        for code in final {
            #expect(try decide(attempt(error: LarkspurError(transportError: URLError(code)))) == .done(nil), "\(code)")
        }
        #expect(try decide(attempt(error: URLError(.timedOut))) == .done(nil))
        #expect(try decide(attempt(error: CancellationError())) == .done(nil))
    }

    @Test("Certificate errors and cancellations are final under any policy")
    func finalErrors() throws {
        var policy = policy
        policy.errorCodes = [.certificateExpired, .certificatePinMismatch, .cancelled, .malformedResponse]
        for code in [LarkspurError.Code.certificateExpired, .certificatePinMismatch, .cancelled] {
            #expect(try decide(attempt(error: LarkspurError(code, "")), by: policy) == .done(nil))
        }
        #expect(try decide(attempt(error: LarkspurError(.malformedResponse, "")), by: policy) != .done(nil))
    }

    @Test("The sets of a policy replace the default errors, statuses and methods")
    func ownSets() throws {
        var policy = policy
        policy.methods = [.get, .delete]
        policy.statusCodes = []
        policy.errorCodes = [.connectionLost]
        policy.urlErrorCodes = []
        for code in [URLError.Code.networkConnectionLost, .timedOut, .cannotFindHost, .badServerResponse] {
            let decision = try decide(attempt(error: LarkspurError(transportError: URLError(code))), by: policy)
            #expect((decision != .done(nil)) == (code == .networkConnectionLost), "\(code)")
        }
        #expect(try decide(attempt(status: 503), by: policy) == .done(nil))
        policy.statusCodes = [418]
        for (method, isRepeated) in [("GET", true), ("DELETE", true), ("PUT", false), ("POST", false)] {
            let decision = try decide(attempt(method: method, status: 418), by: policy)
            #expect((decision != .done(.repeatability)) == isRepeated, "\(method)")
        }
    }

    @Test("There is no further attempt at the limit, without a budget, or if the content cannot be repeated")
    func limits() throws {
        #expect(try decide(attempt(2)) == .retry(after: .seconds(1)))
        #expect(try decide(attempt(3)) == .done(.attempts))
        var poor = try attempt()
        poor.isWithinBudget = false
        #expect(decide(poor) == .done(.retryBudget))
        var unrepeatable = try attempt()
        unrepeatable.canRepeat = false
        #expect(decide(unrepeatable) == .done(.repeatability))
    }

    @Test("The maximum delay doubles up to a limit, and the delay is a random part of it")
    func delays() throws {
        let policy = RetryPolicy(maximumAttempts: .max, maximumDelay: .seconds(3), deadline: nil, budget: nil)
        let delays = try [1, 2, 3, 4, 5, 100_000].map { try decide(attempt($0), by: policy) }
        #expect(delays == [500, 1000, 2000, 3000, 3000, 3000].map { .retry(after: .milliseconds($0)) })
        #expect(try decide(attempt(3), random: 0.25, by: policy) == .retry(after: .milliseconds(500)))
        #expect(try decide(attempt(), random: 0, by: policy) == .retry(after: .zero))
        #expect(try decide(attempt(), random: 7, by: policy) == .retry(after: .milliseconds(500)))
        #expect(try decide(attempt(), random: -7, by: policy) == .retry(after: .zero))
        let negative = RetryPolicy(baseDelay: .seconds(-1), maximumDelay: .seconds(-1), budget: nil)
        #expect(try decide(attempt(), by: negative) == .retry(after: .zero))
    }

    @Test("No delay passes the deadline")
    func deadline() throws {
        #expect(try decide(attempt(elapsed: .milliseconds(59_500))) == .retry(after: .milliseconds(500)))
        #expect(try decide(attempt(elapsed: .milliseconds(59_501))) == .done(.retryDeadline))
        #expect(try decide(attempt(elapsed: .seconds(61)), random: 0) == .done(.retryDeadline))
    }

    @Test(
        "Retry-After gives the earliest time, in seconds or as a date by the server's clock",
        arguments: [
            (["Retry-After": "2"], 2_500), (["retry-after": " 2 "], 2_500), (["Retry-After": "0"], 500),
            (["Retry-After": "59.9"], 500), (["Retry-After": "-1"], 500), (["Retry-After": "soon"], 500),
            (["Retry-After": ""], 500),
            // The date of the decision is 08:49:37.
            (["Retry-After": "Sun, 06 Nov 1994 08:49:40 GMT"], 3_500),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:40 GMT", "Date": "Sun, 06 Nov 1994 08:49:33 GMT"], 7_500),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:40 GMT", "Date": "never"], 3_500),
            (["Retry-After": "Sun, 06 Nov 1994 08:00:00 GMT"], 500),
        ]
    )
    func retryAfter(_ fields: [String: String], _ milliseconds: Int) throws {
        #expect(try decide(attempt(fields: fields)) == .retry(after: .milliseconds(milliseconds)))
    }

    @Test("The deadline shortens a random delay, but not the server's delay")
    func retryAfterDeadline() throws {
        func decide(_ seconds: String, elapsed: Duration = .zero) throws -> RetryDecision {
            try self.decide(attempt(fields: ["Retry-After": seconds], elapsed: elapsed))
        }
        #expect(try decide("60") == .retry(after: .seconds(60)))
        #expect(try decide("61") == .fail(told: .seconds(61), limit: .deadline(.seconds(60))))
        #expect(try decide("2", elapsed: .seconds(58)) == .retry(after: .seconds(2)))
        let late = try decide("2", elapsed: .milliseconds(58_001))
        #expect(late == .fail(told: .seconds(2), limit: .deadline(.seconds(60))))
        let longest = Duration.seconds(1_000_000_000)
        #expect(try decide("99999999999999999999999") == .fail(told: longest, limit: .deadline(.seconds(60))))
    }

    @Test("The server's delay may be up to five minutes, or up to the policy's limit")
    func serverDelay() throws {
        var patient = RetryPolicy(deadline: nil, budget: nil)
        func decide(_ seconds: String) throws -> RetryDecision {
            try self.decide(attempt(fields: ["Retry-After": seconds]), random: 0, by: patient)
        }
        let longest = Duration.seconds(1_000_000_000)
        #expect(try decide("300") == .retry(after: .seconds(300)))
        #expect(try decide("301") == .fail(told: .seconds(301), limit: .delay(.seconds(300))))
        #expect(try decide("9999999999") == .fail(told: longest, limit: .delay(.seconds(300))))
        #expect(try decide("Sun, 06 Nov 1994 08:54:38 GMT") == .fail(told: .seconds(301), limit: .delay(.seconds(300))))
        patient.maximumServerDelay = .seconds(Int64.max)
        #expect(try decide("9999999999") == .retry(after: longest))
        patient.maximumServerDelay = .zero
        #expect(try decide("0") == .retry(after: .zero))
        #expect(try decide("1") == .fail(told: .seconds(1), limit: .delay(.zero)))
        patient.deadline = .seconds(60)
        #expect(try decide("61") == .fail(told: .seconds(61), limit: .deadline(.seconds(60))))
    }

    @Test("Durations are written in seconds")
    func seconds() {
        #expect(Duration.seconds(90).inSeconds == "90 s" && Duration.milliseconds(500).inSeconds == "0.5 s")
    }
}
