internal import Foundation
internal import FoundationNetworking
internal import Measuring

/// What became of a task.
struct Outcome {
    private let response: URLResponse?
    private let contentLength: Int
    private let error: (any Error)?
    private let json: Data?

    /// - Parameter json: The content, if it is to be decoded.
    init(_ response: URLResponse?, _ contentLength: Int, _ error: (any Error)?, _ json: Data?) {
        self.response = response
        self.contentLength = contentLength
        self.error = error
        self.json = json
    }

    func failure(of target: Target, _ workload: Options.Workload) -> String? {
        if let error { return "\(error)" }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if let failure = target.failure(status: status, contentLength: contentLength) { return failure }
        guard let json else { return nil }
        do {
            return try workload.failure(in: json)
        } catch {
            return "\(error)"
        }
    }
}
