internal import Foundation
internal import FoundationNetworking
internal import Measuring

/// A `URLSession` whose tasks have completion handlers.
struct CompletionClient: CallbackClient {
    private let options: Options
    private let session: URLSession

    init(_ options: Options, makeSession: SessionFactory) {
        self.options = options
        session = makeSession(.measured(options), nil, nil)
    }

    func makeRequest(_ target: Target) -> MeasuredRequest { MeasuredRequest(target, options.workload) }

    func perform(_ request: MeasuredRequest, completion: @escaping Completion) {
        let workload = options.workload
        session.dataTask(with: request.made) { data, response, error in
            let outcome = Outcome(response, data?.count ?? 0, error, workload.decodes ? data : nil)
            completion(outcome.failure(of: request.target, workload))
        }.resume()
    }

    func invalidate() async { session.finishTasksAndInvalidate() }
}
