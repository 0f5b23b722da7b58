internal import HTTPSyntax
public import Foundation

extension LoopbackServer {
    /// A request that the server has received.
    public struct Request: Sendable {
        /// The method, such as `GET`.
        public var method: String { head.method }
        /// The unchanged request target: a path with its query or, for a proxy, a whole URL or an authority.
        public var target: String { head.target }
        /// The path of the target, with its percent escapes decoded.
        public let path: String
        /// The version: `HTTP/1.1` or `HTTP/1.0`.
        public var version: String { "HTTP/1.\(head.minorVersion)" }
        /// The header's fields, in order.
        public var headers: Fields { head.fields }
        /// The body without its transfer coding; empty if the response refused the body.
        public internal(set) var body = Data()
        /// The fields that followed a chunked body.
        public internal(set) var trailers: Fields = [:]
        /// The number of the request's connection. The server counts connections from 1.
        public let connection: Int
        /// The segments for the placeholders of the route's path, by their names.
        public internal(set) var parameters: [String: String] = [:]

        let head: RequestHead

        init(head: RequestHead, connection: Int) {
            self.head = head
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

        /// The URL of the request, by its `Host` field; the target if it has no such field.
        var url: String {
            guard target.hasPrefix("/"), let host = headers["Host"] else { return target }
            return "http://\(host)\(target)"
        }
    }
}

extension LoopbackServer.Request: CustomStringConvertible {
    /// The request line, the header and the size of the body.
    public var description: String {
        "\(method) \(target) \(version)\n\(headers)\n\n(\(body.count) bytes)"
    }
}
