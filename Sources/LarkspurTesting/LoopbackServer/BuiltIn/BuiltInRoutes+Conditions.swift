internal import HTTPSyntax
internal import Foundation

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
        (tags ?? "").split(separator: ",").map(\.trimmingBlanks).contains { tag in
            tag == "*" || (tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag).unquoted == etag
        }
    }
}
