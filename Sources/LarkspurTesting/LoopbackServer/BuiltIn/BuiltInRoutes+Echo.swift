internal import Foundation
import HTTPSyntax

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
    /// Creates a response with the items of a request and further members, as a JSON document.
    static func echo(
        _ request: LoopbackServer.Request,
        _ items: Set<Echo.Item>,
        adding members: [String: Any] = [:]
    ) throws -> Self {
        let document = Echo(request).document(items).merging(members) { $1 }
        return .data(try Echo.bytes(of: document), contentType: "application/json")
    }
}

/// The description of a request in httpbin's JSON.
struct Echo {
    enum Item: String, CaseIterable {
        case url, args, form, data, origin, headers, files, json, method
    }

    private let request: LoopbackServer.Request

    init(_ request: LoopbackServer.Request) {
        self.request = request
    }

    func document(_ items: Set<Item>) -> [String: Any] {
        Dictionary(uniqueKeysWithValues: items.map { ($0.rawValue, value(of: $0)) })
    }

    static func bytes(of document: [String: Any]) throws -> Data {
        try JSONSerialization.data(withJSONObject: document, options: [.sortedKeys, .withoutEscapingSlashes])
    }

    private func value(of item: Item) -> Any {
        switch item {
        case .url: request.url
        case .args: Self.grouped(request.queryItems.map { ($0.name, $0.value ?? "") })
        case .form: Self.grouped(request.form.map { ($0.name, $0.value ?? "") } + partValues(isFile: false))
        case .data: isForm ? "" : Self.text(request.body)
        case .origin: "127.0.0.1"
        case .headers: headers
        case .files: Self.grouped(partValues(isFile: true))
        case .json: json
        case .method: request.method
        }
    }

    private var isForm: Bool {
        ["application/x-www-form-urlencoded", "multipart/form-data"].contains(request.contentType)
    }

    private func partValues(isFile: Bool) -> [(String, String)] {
        request.parts.filter { ($0.fileName != nil) == isFile }.map { ($0.name ?? "", Self.text($0.data)) }
    }

    /// The fields. As in httpbin, their names are capitalized like `User-Agent`, even if the client spells them
    /// differently.
    private var headers: [String: String] {
        let pairs = request.headers.map { field in
            let words = field.name.split(separator: "-", omittingEmptySubsequences: false)
            return (
                words.map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined(separator: "-"),
                field.value
            )
        }
        return Dictionary(pairs) { "\($0),\($1)" }
    }

    private var json: Any {
        // If the body is not JSON, the value is null, as in httpbin.
        (try? JSONSerialization.jsonObject(with: request.body, options: .fragmentsAllowed)) ?? NSNull()
    }

    /// Returns one value if a name occurs once, and an array if it occurs more often.
    private static func grouped(_ pairs: [(String, String)]) -> [String: Any] {
        Dictionary(grouping: pairs, by: \.0).mapValues { pairs in
            pairs.count == 1 ? pairs[0].1 : pairs.map(\.1) as Any
        }
    }

    private static func text(_ data: Data) -> String {
        String(validating: data, as: UTF8.self) ?? "data:application/octet-stream;base64,\(data.base64EncodedString())"
    }
}
