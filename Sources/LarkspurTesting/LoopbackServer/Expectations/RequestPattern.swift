internal import Foundation
internal import HTTPSyntax

extension LoopbackServer {
    /// The requests of an expectation: a method, a path, and conditions on fields and content.
    ///
    ///     server.expect(.post("/users").field("Content-Type", "application/json").json(#"{"name": "Ada"}"#))
    public struct RequestPattern: Sendable, CustomStringConvertible {
        /// A condition, and its description for errors.
        struct Condition: Sendable {
            let description: String
            /// Returns the difference between a request and the condition; nil if the request meets it.
            let difference: @Sendable (Request) -> String?
        }

        /// The method; nil for all.
        let method: String?
        let path: String
        private let pattern: PathPattern
        private(set) var conditions: [Condition] = []

        /// Creates a pattern.
        /// - Parameters:
        ///   - method: The method, in upper case; nil for all.
        ///   - path: The path, without a query. `{name}` stands for any one segment, and `*` as the last segment for
        ///     all that follows.
        public init(method: String?, path: String) {
            self.method = method
            self.path = path
            pattern = PathPattern(path)
        }

        /// Requests of any method for a path.
        public static func any(_ path: String) -> RequestPattern { RequestPattern(method: nil, path: path) }
        /// GET requests for a path.
        public static func get(_ path: String) -> RequestPattern { RequestPattern(method: "GET", path: path) }
        /// HEAD requests for a path.
        public static func head(_ path: String) -> RequestPattern { RequestPattern(method: "HEAD", path: path) }
        /// POST requests for a path.
        public static func post(_ path: String) -> RequestPattern { RequestPattern(method: "POST", path: path) }
        /// PUT requests for a path.
        public static func put(_ path: String) -> RequestPattern { RequestPattern(method: "PUT", path: path) }
        /// PATCH requests for a path.
        public static func patch(_ path: String) -> RequestPattern { RequestPattern(method: "PATCH", path: path) }
        /// DELETE requests for a path.
        public static func delete(_ path: String) -> RequestPattern { RequestPattern(method: "DELETE", path: path) }

        /// Returns the pattern with the condition that a query item has a value.
        public func query(_ name: String, _ value: String) -> RequestPattern {
            adding("query \(name)=\(value)") { request in
                guard let given = request.query(name) else { return "it has no query item \(name)" }
                return given == value ? nil : "its query item \(name) is \(given.quotation)"
            }
        }

        /// Returns the pattern with the condition that a header field has a value.
        public func field(_ name: String, _ value: String) -> RequestPattern {
            adding("\(name): \(value)") { request in
                guard let given = request.headers[name] else { return "it has no field \(name)" }
                return given == value ? nil : "its field \(name) is \(given.quotation)"
            }
        }

        /// Returns the pattern with a condition on the value of a header field.
        /// - Parameters:
        ///   - name: The name. Its case does not matter.
        ///   - isMet: Returns whether a value meets the condition. The value is nil if the field is missing. Called on
        ///     the thread that verifies.
        public func field(_ name: String, where isMet: @escaping @Sendable (String?) -> Bool) -> RequestPattern {
            adding("a condition on \(name)") { request in
                let given = request.headers[name]
                if isMet(given) { return nil }
                return given.map { "its field \(name) is \($0.quotation)" } ?? "it has no field \(name)"
            }
        }

        /// Returns the pattern with the condition that the content is a text.
        public func text(_ text: String) -> RequestPattern {
            adding("the content \(text.quotation)") { request in
                request.text == text ? nil : "its content is \(request.text.quotation)"
            }
        }

        /// Returns the pattern with the condition that the content is a JSON document. The order of members and white
        /// space do not count.
        /// - Parameter document: The document, such as `{"name": "Ada"}`.
        public func json(_ document: String) -> RequestPattern {
            let expected = try? Self.normalized(Data(document.utf8))
            return json(expected, orElse: "a text that is no JSON")
        }

        /// Returns the pattern with the condition that the content is the JSON of a value. The order of members and
        /// white space do not count.
        /// - Parameter value: The value. It is compared as JSON.
        public func json(encoding value: some Encodable & Sendable) -> RequestPattern {
            let expected = try? Self.normalized(JSONEncoder().encode(value))
            return json(expected, orElse: "a value that cannot be encoded")
        }

        /// - Parameter defect: The description of the expected value if it has no JSON.
        private func json(_ expected: String?, orElse defect: String) -> RequestPattern {
            adding("the JSON \(expected?.quotation ?? "of \(defect)")") { request in
                guard let expected else { return "the expected JSON is \(defect)" }
                guard let given = try? Self.normalized(request.body) else {
                    return "its content is no JSON: \(request.text.quotation)"
                }
                return given == expected ? nil : "its JSON is \(given.quotation)"
            }
        }

        /// Returns the pattern with a condition on the request as a whole.
        /// - Parameters:
        ///   - description: The description for errors, such as `a user with an e-mail address`. Default: `a
        ///     condition`.
        ///   - isMet: Returns whether a request meets the condition. Called on the thread that verifies.
        public func matching(
            _ description: String = "a condition",
            where isMet: @escaping @Sendable (Request) -> Bool
        ) -> RequestPattern {
            adding(description) { isMet($0) ? nil : "it does not meet \(description.onOneLine)" }
        }

        /// The method, the path and the conditions.
        public var description: String {
            let head = "\(method ?? "any method") \(path)"
            let text =
                conditions.isEmpty ? head : head + " with " + conditions.map(\.description).joined(separator: ", ")
            return text.onOneLine
        }

        private func adding(
            _ description: String,
            _ difference: @escaping @Sendable (Request) -> String?
        ) -> RequestPattern {
            var pattern = self
            pattern.conditions.append(Condition(description: description, difference: difference))
            return pattern
        }

        private static func normalized(_ json: Data) throws -> String {
            let object = try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)
            let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed]
            return String(decoding: try JSONSerialization.data(withJSONObject: object, options: options), as: UTF8.self)
        }

        // MARK: Comparing

        /// Returns the differences between a request and the pattern; empty if the request matches.
        func differences(of request: Request) -> [String] {
            var differences: [String] = []
            if let method, method != request.method { differences.append("its method is \(request.method)") }
            let segments = request.head.rawPath.parts(separatedBy: "/", omittingEmptyParts: false)
            if pattern.match(segments) == nil { differences.append("its path is \(request.path.quotation)") }
            return differences + conditions.compactMap { $0.difference(request) }
        }

        /// Returns the distance between a request and the pattern, for the text of an error.
        func distance(to request: Request) -> Int {
            let path =
                pattern.match(request.head.rawPath.parts(separatedBy: "/", omittingEmptyParts: false)) == nil
            return differences(of: request).count + (path ? 2 * Nearness.distance(request.path, self.path) : 0)
        }
    }
}

extension String {
    /// The beginning of the text in quotation marks, on one line.
    fileprivate var quotation: String {
        let text = prefix(200).description.onOneLine
        return "“\(text)\(text.count < count ? "…" : "")”"
    }
}
