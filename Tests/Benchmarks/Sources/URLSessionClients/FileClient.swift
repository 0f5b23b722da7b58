internal import Foundation
internal import FoundationNetworking
internal import Measuring

/// A `URLSession` whose tasks write content to files, or send it from one.
struct FileClient: CallbackClient {
    private let options: Options
    private let session: URLSession

    init(_ options: Options, makeSession: SessionFactory) {
        self.options = options
        session = makeSession(.measured(options), nil, nil)
    }

    func makeRequest(_ target: Target) -> MeasuredRequest { MeasuredRequest(target, options.workload) }

    func perform(_ request: MeasuredRequest, completion: @escaping Completion) {
        if options.workload == .upload {
            session.uploadTask(with: request.made, fromFile: URL(filePath: options.file)) { _, response, error in
                completion(Outcome(response, 0, error, nil).failure(of: request.target, options.workload))
            }.resume()
        } else {
            session.downloadTask(with: request.made) { file, response, error in
                let size = try? file?.resourceValues(forKeys: [.fileSizeKey]).fileSize
                completion(Outcome(response, size ?? 0, error, nil).failure(of: request.target, options.workload))
            }.resume()
        }
    }

    func invalidate() async { session.finishTasksAndInvalidate() }
}
