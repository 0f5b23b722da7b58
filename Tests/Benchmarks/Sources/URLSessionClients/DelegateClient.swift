internal import Foundation
internal import FoundationNetworking
internal import Measuring

/// A `URLSession` with a delegate that takes the content of every task as it arrives.
struct DelegateClient: CallbackClient {
    private let options: Options
    private let delegate: ContentDelegate
    private let session: URLSession

    init(_ options: Options, makeSession: SessionFactory) {
        self.options = options
        delegate = ContentDelegate(options.workload)
        session = makeSession(.measured(options), delegate, nil)
    }

    func makeRequest(_ target: Target) -> MeasuredRequest { MeasuredRequest(target, options.workload) }

    func perform(_ request: MeasuredRequest, completion: @escaping Completion) {
        let task = session.dataTask(with: request.made)
        delegate.expect(task, request.target, completion)
        task.resume()
    }

    func invalidate() async {
        await withCheckedContinuation { continuation in
            delegate.whenInvalid { continuation.resume() }
            session.finishTasksAndInvalidate()
        }
    }
}
