internal import Foundation
internal import FoundationNetworking
internal import Measuring

/// A request of a workload together with what its response has to be.
struct MeasuredRequest: Sendable {
    /// Longer than any measurement takes.
    private static let idleTimeout: TimeInterval = 3600

    let target: Target
    private let workload: Options.Workload
    private let request: URLRequest

    /// The request as it is sent: if its content is not prepared, it is encoded now.
    var made: URLRequest {
        guard workload == .encodedPost else { return request }
        var request = request
        do { request.httpBody = try Message.encodeExample() } catch { end("\(error)") }
        return request
    }

    init(_ target: Target, _ workload: Options.Workload) {
        guard let url = URL(string: target.url) else { end("\(target.url) is no URL.") }
        self.target = target
        self.workload = workload
        var request = URLRequest(url: url)
        if workload == .upload { request.httpMethod = "PUT" }
        if workload == .post || workload == .encodedPost {
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        if workload == .post { request.httpBody = Message.exampleJSON }
        if target.staysOpen { request.timeoutInterval = Self.idleTimeout }
        self.request = request
    }
}
