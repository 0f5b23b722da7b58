#if canImport(FoundationNetworking)
internal import HTTPSyntax
public import Larkspur

extension StubTransport {
    /// A request that a stub transport has received.
    public struct Request: Sendable {
        /// The request. Its `httpBody` has the content, even if the content came from a file or a stream.
        public let urlRequest: URLRequest
        /// The segments for the placeholders of the route's pattern, by the placeholders' names.
        public internal(set) var parameters: [String: String] = [:]

        init(_ urlRequest: URLRequest) { self.urlRequest = urlRequest }

        /// The URL; `about:blank` for a request without one.
        public var url: URL { urlRequest.url ?? URL(string: "about:blank") ?? URL(filePath: "/") }
        /// The method, such as `GET`.
        public var method: HTTPMethod { HTTPMethod(rawValue: urlRequest.httpMethod ?? "GET") }
        /// The path of the URL, with its percent escapes decoded.
        public var path: String { rawPath.percentDecoded() }
        /// The fields that the client has set.
        public var headers: HTTPHeaders { urlRequest.headers }
        /// The content; empty if there is none.
        public var body: Data { urlRequest.httpBody ?? Data() }
        /// The content as text, decoded as UTF-8 if it is valid, otherwise as ISO 8859-1.
        public var text: String { String(networkBytes: body) }

        /// The items of the query in order, with their percent escapes and plus signs decoded.
        public var queryItems: [URLQueryItem] { FormDecoding.items(of: url.query(percentEncoded: true) ?? "") }

        /// Returns the value of the first query item with a name; empty if the item has no value, nil if there is no
        /// such item.
        public func query(_ name: String) -> String? {
            queryItems.first { $0.name == name }.map { $0.value ?? "" }
        }

        /// The items of an `application/x-www-form-urlencoded` body, in order; empty for any other type.
        public var form: [URLQueryItem] {
            FieldParameters(headers["Content-Type"] ?? "").leading.lowercased() == "application/x-www-form-urlencoded"
                ? FormDecoding.items(of: text) : []
        }

        /// Decodes a JSON body.
        /// - Throws: The error of `JSONDecoder` if the body is not JSON or cannot be decoded into the type.
        public func json<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(type, from: body)
        }

        /// The path before its percent escapes are decoded.
        var rawPath: String {
            let path = url.path(percentEncoded: true)
            return path.isEmpty ? "/" : path
        }
    }
}

extension StubTransport.Request: CustomStringConvertible {
    /// The method, the URL without secrets, and the size of the body.
    public var description: String { "\(method) \(Redaction.standard.text(of: url)) (\(body.count) bytes)" }
}
#endif
