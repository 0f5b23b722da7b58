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
        let decodesJSON = options.workload == .json
        session.dataTask(with: request.request) { data, response, error in
            completion(Outcome(response, data?.count ?? 0, error, decodesJSON ? data : nil).failure(of: request.target))
        }.resume()
    }

    func invalidate() async { session.finishTasksAndInvalidate() }
}
