public import Foundation
internal import HTTPSyntax

extension LoopbackServer {
    /// A request that the server has received.
    public struct Request: Sendable {
        /// The method, such as `GET`.
        public var method: String { head.method }
        /// The unchanged request target: a path with its query. For a proxy, a whole URL or an authority.
        public var target: String { head.target }
        /// The path of the target, with its percent escapes decoded.
        public let path: String
        /// The version: `HTTP/1.1` or `HTTP/1.0`.
        public var version: String { "HTTP/1.\(head.minorVersion)" }
        /// The header's fields, in order.
        public var headers: Fields { head.fields }
        /// The body without its transfer coding; empty if the response refuses the body.
        public internal(set) var body = Data()
        /// The fields that followed a chunked body.
        public internal(set) var trailers: Fields = [:]
        /// The number of the request's connection. The server counts connections from 1.
        public let connection: Int
        /// The segments for the placeholders of the route's path, by the placeholders' names.
        public internal(set) var parameters: [String: String] = [:]

        let head: ReceivedHead
        /// Whether the request came over TLS.
        let isSecure: Bool

        init(head: ReceivedHead, connection: Int, isSecure: Bool = false) {
            self.head = head
            self.isSecure = isSecure
            path = head.rawPath.percentDecoded()
            self.connection = connection
        }

        /// The items of the query in order, with their percent escapes and plus signs decoded.
        public var queryItems: [URLQueryItem] {
            FormDecoding.items(of: head.rawQuery ?? "")
        }

        /// Returns the value of the first query item with a name; empty if the item has no value, nil if there is no
        /// such item.
        public func query(_ name: String) -> String? {
            queryItems.first { $0.name == name }.map { $0.value ?? "" }
        }

        /// The URL of the request, from its `Host` field; the target if there is no such field.
        var url: String {
            guard target.begins(with: "/"), let host = headers["Host"] else { return target }
            return "\(isSecure ? "https" : "http")://\(host)\(target)"
        }
    }
}

extension LoopbackServer.Request: CustomStringConvertible {
    /// The request line, the header and the size of the body.
    public var description: String {
        "\(method) \(target) \(version)\n\(headers)\n\n(\(body.count) bytes)"
    }
}

extension LoopbackServer.Request {
    /// One part of a `multipart/form-data` body (RFC 7578).
    public struct Part: Sendable, Hashable {
        /// The part's header.
        public var headers: LoopbackServer.Fields
        /// The part's bytes.
        public var data: Data

        /// The name of the form's control.
        public var name: String? { disposition["name"] }
        /// The name of the file, if the part is a file.
        public var fileName: String? { disposition["filename"] }

        private var disposition: [TextKey: String] {
            FieldParameters(headers["Content-Disposition"] ?? "").values
        }
    }

    /// The body as text, decoded as UTF-8 if it is valid, otherwise as ISO 8859-1.
    public var text: String {
        String(networkBytes: body)
    }

    /// The items of an `application/x-www-form-urlencoded` body, in order; empty for any other type.
    public var form: [URLQueryItem] {
        contentType == "application/x-www-form-urlencoded" ? FormDecoding.items(of: text) : []
    }

    /// The parts of a `multipart/form-data` body, in order; empty for any other type and if the body is malformed.
    public var parts: [Part] {
        guard contentType == "multipart/form-data", let boundary = contentTypeParameters.values["boundary"] else {
            return []
        }
        return Multipart(body, boundary: boundary)?.parts ?? []
    }

    /// Decodes a JSON body.
    ///
    /// - Throws: The error of `JSONDecoder` if the body is not JSON or cannot be decoded into the type.
    public func json<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: body)
    }

    var contentType: String {
        contentTypeParameters.leading.lowercased()
    }

    private var contentTypeParameters: FieldParameters {
        FieldParameters(headers["Content-Type"] ?? "")
    }
}
