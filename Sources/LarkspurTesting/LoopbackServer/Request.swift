internal import HTTPSyntax
public import Foundation

extension LoopbackServer {
    /// A request as it arrived.
    public struct Request: Sendable {
        /// The method, such as `GET`.
        public var method: String { head.method }
        /// The request target as it was sent: a path with its query or, to a proxy, a whole URL or an authority.
        public var target: String { head.target }
        /// The path of the target with its percent escapes replaced.
        public let path: String
        /// `HTTP/1.1` or `HTTP/1.0`.
        public var version: String { "HTTP/1.\(head.minorVersion)" }
        /// The header's fields, in order.
        public var headers: Fields { head.fields }
        /// The body without its transfer coding; empty where the response refused it.
        public internal(set) var body = Data()
        /// The fields that followed a chunked body.
        public internal(set) var trailers: Fields = [:]
        /// Which connection the request came on: the server counts them from 1.
        public let connection: Int
        /// The segments that the placeholders of the route's path stood for, by their names.
        public internal(set) var parameters: [String: String] = [:]

        let head: RequestHead

        init(head: RequestHead, connection: Int) {
            self.head = head
            path = head.rawPath.percentDecoded()
            self.connection = connection
        }

        /// The items of the query in order, with their percent escapes and plus signs replaced.
        public var queryItems: [URLQueryItem] {
            FormDecoding.items(of: head.rawQuery ?? "")
        }

        /// The value of the first query item of that name, empty where the item has no value.
        public func query(_ name: String) -> String? {
            queryItems.first { $0.name == name }.map { $0.value ?? "" }
        }

        /// The URL that the request was for, by its `Host` field; the target where there is none.
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
