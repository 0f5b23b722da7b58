internal import Foundation

/// Routes that return the client's request as JSON.
extension BuiltInRoutes {
    mutating func addEchoes() {
        add("/get") { try .echo($0, [.url, .args, .headers, .origin]) }
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            add("/\(method.lowercased())", [method]) {
                try .echo($0, [.url, .args, .form, .data, .origin, .headers, .files, .json])
            }
        }
        for path in ["/anything", "/anything/*"] {
            add(path, nil) { try .echo($0, Set(Echo.Item.allCases)) }
        }
        add("/headers") { try .echo($0, [.headers]) }
        add("/ip") { try .echo($0, [.origin]) }
        add("/user-agent") { try .json(encoding: ["user-agent": $0.headers["User-Agent"]]) }
        add("/uuid") { _ in try .json(encoding: ["uuid": UUID().uuidString.lowercased()]) }
    }
}

extension LoopbackServer.Response {
    /// Creates a response with the items of a request as a JSON document, with further members.
    static func echo(
        _ request: LoopbackServer.Request,
        _ items: Set<Echo.Item>,
        adding members: [String: Any] = [:]
    ) throws -> Self {
        let document = Echo(request).document(items).merging(members) { $1 }
        return .data(try Echo.bytes(of: document), contentType: "application/json")
    }
}
