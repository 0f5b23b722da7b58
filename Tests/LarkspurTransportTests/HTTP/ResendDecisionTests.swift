#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite("Decisions about sending a request again")
struct ResendDecisionTests {
    private let url = URL(string: "http://a.test/") ?? URL(filePath: "/")

    private func decision(
        _ method: String,
        _ attempt: ResendDecision.Attempt = .lost,
        isAllowed: Bool = false,
        fields: [String: String] = [:],
        additionalFields: [String: String] = [:]
    ) -> ResendDecision {
        ResendDecision(
            URLRequest(url, method, headers: fields),
            additionalFields: additionalFields,
            after: attempt,
            isAllowed: isAllowed
        )
    }

    @Test(
        "An idempotent method is sent again",
        arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "PROPFIND", "QUERY", "MKCOL"]
    )
    func idempotent(method: String) {
        for attempt in ResendDecision.Attempt.allCases { #expect(decision(method, attempt) == .resend) }
    }

    @Test(
        "A method that is not idempotent is not sent again after a byte may have been sent",
        arguments: ["POST", "PATCH", "LOCK", "CONNECT", "SPECIAL", "GETX"]
    )
    func others(method: String) {
        #expect(decision(method) == .fail)
        #expect(decision(method, .notSent) == .resend)
        #expect(decision(method, .notProcessed) == .resend)
        #expect(decision(method, isAllowed: true) == .resend)
    }

    @Test(
        "An idempotency key allows any request to be sent again",
        arguments: ["Idempotency-Key", "idempotency-key", "X-IDEMPOTENCY-KEY"]
    )
    func key(name: String) {
        #expect(decision("POST", fields: [name: "1"]) == .resend)
        #expect(decision("POST", additionalFields: [name: "1"]) == .resend)
        #expect(decision("POST", fields: ["X-" + name + "s": "1"], additionalFields: ["Key": "1"]) == .fail)
    }

    @Test("The error says that the request may have been executed, and which option allows another attempt")
    func error() {
        let error = ResendDecision.error(for: URLRequest(url, "POST"))
        #expect(error.code == .networkConnectionLost)
        for part in ["may have executed", "Idempotency-Key", "resendsNonIdempotentRequests"] {
            #expect(error.localizedDescription.contains(part))
        }
    }
}
#endif
