internal import Foundation
internal import FoundationNetworking
internal import Measuring

/// A request of a workload together with what its response has to be.
struct MeasuredRequest: Sendable {
    /// Longer than any measurement takes.
    private static let idleTimeout: TimeInterval = 3600

    let target: Target
    let request: URLRequest

    init(_ target: Target, _ workload: Options.Workload) {
        guard let url = URL(string: target.url) else { end("\(target.url) is no URL.") }
        self.target = target
        var request = URLRequest(url: url)
        if workload == .upload { request.httpMethod = "PUT" }
        if workload == .post {
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(Message.example.json.utf8)
        }
        if target.staysOpen { request.timeoutInterval = Self.idleTimeout }
        self.request = request
    }
}
