import Synchronization

@testable import LarkspurCredentials

/// The credentials and the time of the examples of AWS.
enum AWSExamples {
    /// The credentials of the examples of S3.
    static let storage = AWSCredentials(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE",
        secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    )
    /// 24 May 2013 at midnight in UTC.
    static let storageDate = Date(timeIntervalSince1970: 1_369_353_600)
    /// The credentials of the test suite of Signature Version 4.
    static let suite = AWSCredentials(
        accessKeyID: "AKIDEXAMPLE",
        secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
    )
    /// 30 August 2015 at 12:36 in UTC.
    static let suiteDate = Date(timeIntervalSince1970: 1_440_938_160)

    /// Returns an interceptor for which the time stands still.
    static func signature(
        service: String = "s3",
        region: String = "us-east-1",
        _ credentials: AWSCredentials = storage,
        payload: AWSSignature.Payload = .signed,
        at date: Date = storageDate,
        for url: URL
    ) -> AWSSignature {
        var signature = AWSSignature(
            service: service,
            region: region,
            credentials: .fixed(credentials),
            payload: payload,
            for: url
        )
        signature.date = { date }
        return signature
    }
}

extension AWSSignature {
    /// Returns a request as the interceptor sends it.
    func sent(_ request: URLRequest) async throws -> URLRequest {
        let sent = Mutex<URLRequest?>(nil)
        _ = try await intercept(request, context: RequestContext()) { request in
            sent.withLock { $0 = request }
            return InterceptedResponse(request: request, response: nil)
        }
        return sent.withLock { $0 } ?? request
    }
}

extension URLRequest {
    init(_ method: String, _ url: String, _ fields: [String: String] = [:], body: String? = nil) throws {
        guard let url = URL(string: url) else { throw URLError(.badURL) }
        self.init(url: url)
        httpMethod = method
        allHTTPHeaderFields = fields
        httpBody = body.map { Data($0.utf8) }
    }
}
