internal import HTTPSyntax
internal import Foundation

/// Routes that show, set and delete cookies.
extension BuiltInRoutes {
    mutating func addCookies() {
        add("/cookies") { request in
            let pairs = request.headers.values(for: "Cookie").flatMap { $0.split(separator: ";") }.map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (parts[0].trimmingBlanks, parts.count > 1 ? parts[1].trimmingBlanks.unquoted : "")
            }
            return try .json(encoding: ["cookies": Dictionary(pairs) { $1 }])
        }
        add("/cookies/set") { request in
            Self.redirectToCookies(setting: request.queryItems.map { "\($0.name)=\($0.value ?? ""); Path=/" })
        }
        add("/cookies/set/{name}/{value}") { request in
            Self.redirectToCookies(setting: ["\(try request.value("name"))=\(try request.value("value")); Path=/"])
        }
        add("/cookies/delete") { request in
            Self.redirectToCookies(
                setting: request.queryItems.map {
                    "\($0.name)=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/"
                }
            )
        }
    }

    private static func redirectToCookies(setting cookies: [String]) -> Response {
        cookies.reduce(.redirect(to: "/cookies")) { $0.adding("Set-Cookie", $1) }
    }
}
