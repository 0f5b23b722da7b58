internal import Larkspur
internal import Measuring

/// A `SessionManager` as it is without settings: the automatic transport, JSON responses.
struct ManagerClient: CallbackClient {
    private let workload: Options.Workload
    private let manager: SessionManager

    init(_ options: Options) {
        workload = options.workload
        let configuration = URLSessionConfiguration.default
        // The network is what is measured.
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = options.connections
        configuration.urlCache = nil
        manager = SessionManager(configuration: configuration, requestSerializer: JSONRequestSerializer())
    }

    func makeRequest(_ target: Target) -> String { target.url }

    func perform(_ url: String, completion: @escaping Completion) {
        switch workload {
        case .json:
            manager.get(url, as: [Item].self) { _, items in
                completion(items.isEmpty ? "no items" : nil)
            } failure: { _, error in
                completion("\(error)")
            }
        case .post:
            manager.post(url, body: Message()) { _, object in
                completion(object == nil ? "no content" : nil)
            } failure: { _, error in
                completion("\(error)")
            }
        default:
            manager.get(url) { _, object in
                completion(object == nil ? "no content" : nil)
            } failure: { _, error in
                completion("\(error)")
            }
        }
    }

    func invalidate() async { manager.invalidate(cancellingTasks: false) }
}
