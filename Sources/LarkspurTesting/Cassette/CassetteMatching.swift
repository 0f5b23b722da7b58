internal import Foundation
internal import HTTPSyntax

/// The rule by which a request is found in a cassette. Secrets are hidden in both requests before they are compared.
public struct CassetteMatching: Sendable, Hashable {
    /// Whether scheme, host and port are compared, in addition to path and query. Default: true.
    public var comparesOrigin = true
    /// The names of query items that are ignored, such as the name of a time stamp. Default: none.
    public var ignoredQueryItems: Set<String> = []
    /// The names of header fields that are compared. The case of the names does not matter. Default: none.
    public var fields: Set<String> = []
    /// Whether the hashes of the contents are compared. The order of members in JSON does not count. Default: true.
    public var comparesBody = true
    /// Whether the last response is repeated if a request occurs more often than it was recorded. Default: false, so
    /// that such a request has no response.
    public var repeatsLast = false

    /// The default rule: method, URL and content.
    public static let `default` = CassetteMatching()

    /// Creates the default rule.
    public init() {}

    /// The parts of a request that are compared.
    struct Key: Hashable, Sendable {
        let method: String
        let origin: String
        let path: String
        /// The items of the query, sorted.
        let query: [String]
        let fields: [String]
        let bodyHash: String
    }

    func key(of request: Interaction.Request) -> Key {
        let url = URLComponents(string: request.url)
        let query = (url?.percentEncodedQuery ?? "").parts(separatedBy: "&").map(String.init)
        let kept = query.filter { item in
            let name = item.before("=")
            return !ignoredQueryItems.contains(name.removingPercentEncoding ?? String(name))
        }
        let names = Set(texts: fields.map { $0.inLowercase })
        let port = url?.port.map { ":\($0)" } ?? ""
        return Key(
            method: request.method,
            origin: comparesOrigin
                ? "\(url?.scheme?.lowercased() ?? "")://\(url?.host?.lowercased() ?? "")\(port)" : "",
            path: url.map { $0.percentEncodedPath.isEmpty ? "/" : $0.percentEncodedPath } ?? request.url,
            query: kept.sorted(),
            fields: request.headers.filter { names.contains($0.name.inLowercase) }
                .map { "\($0.name.inLowercase): \($0.value)" }.sorted(),
            bodyHash: comparesBody ? request.body.hash : ""
        )
    }

    /// Returns the differences between a request and a recorded one, in words.
    func differences(of request: Interaction.Request, from recorded: Interaction.Request) -> [String] {
        let (given, known) = (key(of: request), key(of: recorded))
        var differences: [String] = []
        if given.method != known.method { differences.append("the method is \(given.method), not \(known.method)") }
        if given.origin != known.origin { differences.append("the server is \(given.origin), not \(known.origin)") }
        if given.path != known.path { differences.append("the path is \(given.path), not \(known.path)") }
        differences += Self.difference("the query", given.query, known.query)
        differences += Self.difference("the fields", given.fields, known.fields)
        if given.bodyHash != known.bodyHash {
            differences.append("the content is “\(request.body.excerpt)”, not “\(recorded.body.excerpt)”")
        }
        return differences.map(\.onOneLine)
    }

    private static func difference(_ name: String, _ given: [String], _ known: [String]) -> [String] {
        guard given != known else { return [] }
        let (added, missing) = (given.filter { !known.contains($0) }, known.filter { !given.contains($0) })
        if added.isEmpty, missing.isEmpty { return ["\(name) has items more or less often"] }
        var words: [String] = []
        if !added.isEmpty { words.append("has \(added.joined(separator: ", "))") }
        if !missing.isEmpty { words.append("lacks \(missing.joined(separator: ", "))") }
        return ["\(name) \(words.joined(separator: " and "))"]
    }

    /// Returns the distance between a request and a recorded one, for the text of an error.
    func distance(_ request: Interaction.Request, _ recorded: Interaction.Request) -> Int {
        differences(of: request, from: recorded).count * 4 + Nearness.distance(request.url, recorded.url)
    }
}
