internal import Foundation
internal import HTTPSyntax

/// Routes for fixed documents in various types and codings, and for responses that the query describes.
extension BuiltInRoutes {
    mutating func addRepresentations() {
        add("/json") { _ in .json(Samples.json) }
        add("/xml") { _ in .data(Data(Samples.xml.utf8), contentType: "application/xml") }
        add("/html") { _ in .data(Data(Samples.html.utf8), contentType: "text/html; charset=utf-8") }
        add("/encoding/utf8") { _ in .data(Data(Samples.utf8.utf8), contentType: "text/html; charset=utf-8") }
        add("/image/png") { _ in .data(Samples.png, contentType: "image/png") }
        add("/gzip") { request in
            try .echo(request, [.headers, .origin, .method], adding: ["gzipped": true]).encoded(as: .gzip)
        }
        add("/deflate") { request in
            try .echo(request, [.headers, .origin, .method], adding: ["deflated": true]).encoded(as: .deflate)
        }
        add("/base64/{value}") { request in
            guard let data = Data(base64URLEncoded: try request.value("value")) else {
                throw InvalidValue(name: "value")
            }
            return .data(data, contentType: "text/html; charset=utf-8")
        }
        add("/response-headers", ["GET", "POST"]) { request in
            let pairs = request.queryItems.map { ($0.name, $0.value ?? "") }
            let document = Dictionary(grouping: pairs, by: \.0).mapValues { $0.map(\.1).joined(separator: ", ") }
            return pairs.reduce(try .json(encoding: document)) { response, pair in
                // A type in the query replaces the document's type, because a response can have only one.
                pair.0.hasSameLetters(as: "Content-Type")
                    ? response.with { $0.headers[pair.0] = pair.1 } : response.adding(pair.0, pair.1)
            }
        }
    }
}

extension Data {
    /// Decodes Base64 in either alphabet, with or without padding.
    fileprivate init?(base64URLEncoded text: String) {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let digits = standard.prefix { $0 != "=" }
        self.init(base64Encoded: digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4))
    }
}

/// Routes for validators and freshness.
extension BuiltInRoutes {
    mutating func addConditions() {
        add("/etag/{etag}") { request in
            let etag = try request.value("etag")
            let field = ("ETag", "\"\(etag)\"")
            if Self.list(request.headers["If-None-Match"], contains: etag) {
                return .status(304).adding(field.0, field.1)
            }
            if request.headers["If-Match"] != nil, !Self.list(request.headers["If-Match"], contains: etag) {
                return .status(412).adding(field.0, field.1)
            }
            return try Self.document(request).adding(field.0, field.1)
        }
        add("/cache") { request in
            if request.headers["If-None-Match"] != nil || request.headers["If-Modified-Since"] != nil {
                return .status(304)
            }
            return try Self.document(request)
                .adding("Last-Modified", HTTPDate.string(from: Date()))
                .adding("ETag", "\"\(UUID().uuidString)\"")
        }
        add("/cache/{seconds}") { request in
            let seconds = try request.number("seconds", 0...Int(Int32.max))
            return try Self.document(request).adding("Cache-Control", "public, max-age=\(seconds)")
        }
    }

    private static func document(_ request: Request) throws -> Response {
        try .echo(request, [.url, .args, .headers, .origin])
    }

    /// Returns whether a list of entity tags contains one, by the weak comparison (RFC 9110, section 8.8.3.2).
    private static func list(_ tags: String?, contains etag: String) -> Bool {
        (tags ?? "").parts(separatedBy: ",").map(\.trimmingBlanks).contains { tag in
            tag == "*" || Substring(tag.utf8.dropFirst(tag.begins(with: "W/") ? 2 : 0)).unquoted == etag
        }
    }
}
