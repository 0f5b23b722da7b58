import HTTPSyntax
import Larkspur

extension SavedSession {
    /// Stores the parts of a request that later requests share: the fields of its items, and its credentials. Fields
    /// about the content and conditions are not stored. Cookies in a field become cookies of the session. The session
    /// then sends them.
    mutating func take(_ composed: inout ComposedRequest, items: [RequestItem]) {
        let host = composed.request.url?.host ?? ""
        if let field = composed.request.value(forHTTPHeaderField: "Cookie") {
            composed.request.setValue(nil, forHTTPHeaderField: "Cookie")
            for pair in field.parts(separatedBy: ";") {
                take(cookie: pair.trimmingCharacters(in: .whitespaces), of: host)
            }
        }
        for item in items where item.kind == .header || item.kind == .emptyHeader || item.kind == .headerFile {
            let name = item.name.lowercased()
            guard !name.begins(with: "content-"), !name.begins(with: "if-"), name != "cookie",
                let value = composed.request.value(forHTTPHeaderField: item.name)
            else { continue }
            headers.removeAll { $0.name.lowercased() == name }
            headers.append(Field(name: item.name, value: value))
        }
        if let credentials = composed.credentials { auth = credentials.saved }
    }

    private mutating func take(cookie pair: String, of host: String) {
        guard let (name, value) = pair.cut(at: "=") else { return }
        cookies.removeAll { $0.name == name && ($0.domain ?? host) == host }
        cookies.append(Cookie(name: String(name), value: String(value), domain: host, path: "/"))
    }
}
