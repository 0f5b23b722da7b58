import HTTPSyntax
import Larkspur

/// A URL in the notation of the command line.
enum TargetURL {
    /// Completes a URL. `:3000/path` and `:/path` mean this machine. A URL without a scheme gets the default scheme.
    /// - Parameters:
    ///   - text: The URL on the command line.
    ///   - defaultScheme: The scheme for a URL that has none.
    static func completed(_ text: String, defaultScheme: String) -> String {
        let text = text.begins(with: "://") ? String(Substring(text.utf8.dropFirst(3))) : text
        if hasScheme(text) { return text }
        guard text.begins(with: ":"), !text.begins(with: "::") else { return "\(defaultScheme)://\(text)" }
        let rest = text.utf8.dropFirst()
        let port = Substring(rest.prefix(while: \.isDigit))
        let path = text[port.endIndex...]
        return "\(defaultScheme)://localhost\(port.isEmpty ? "" : ":\(port)")\(path)"
    }

    private static func hasScheme(_ text: String) -> Bool {
        guard let end = text.utf8.firstRange(of: "://".utf8)?.lowerBound, text.utf8.first?.isLetter == true else {
            return false
        }
        return text.utf8[..<end].allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
    }

    /// Creates a URL with a query, and without user information and fragment.
    /// - Parameters:
    ///   - text: The completed URL.
    ///   - query: The names and values to add to the query.
    ///   - schemes: The allowed schemes.
    static func url(
        _ text: String,
        query: [(name: String, value: String)],
        schemes: Set<String> = ["http", "https"]
    ) throws(UsageError) -> URL {
        guard var reference = try? URLReference(reading: text), let scheme = reference.scheme?.lowercased(),
            let authority = reference.authority.map(URLReference.Authority.init), !authority.host.isEmpty
        else { throw UsageError("“\(excerpt(of: text))” is no valid URL.") }
        guard schemes.contains(scheme) else {
            throw UsageError(
                "The scheme “\(scheme)” is not supported; \(schemes.sorted().joined(separator: ", ")) are."
            )
        }
        if let port = authority.port, !port.isEmpty, !(1...65535).contains(port.utf8.decimalNumber(atMost: 65536) ?? 0)
        {
            throw UsageError("“\(excerpt(of: text))” has no valid port.")
        }
        reference = reference.withoutUserInformation.withoutFragment
        if reference.path.isEmpty { reference.path = "/" }
        if !query.isEmpty {
            let added = FormEncoding.text(of: query)
            let existing = reference.query ?? ""
            reference.query = existing.isEmpty ? added : existing + "&" + added
        }
        guard let url = reference.url else {
            throw UsageError("“\(excerpt(of: text))” is no valid URL.")
        }
        return url
    }

    /// Returns the part of a URL that an error may show: without user, password, query and fragment. The URL may be
    /// invalid.
    static func excerpt(of text: String) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.firstIndex { $0 == "?" || $0 == "#" } ?? scalars.endIndex
        let rest = end < scalars.endIndex ? "…" : ""
        guard let at = scalars[..<end].lastIndex(of: "@") else {
            // If an at sign follows the `?` or `#`, all text before it may belong to a password, and is not shown.
            return scalars[end...].contains("@") ? rest : String(text[..<end]) + rest
        }
        return "…" + text[at..<end] + rest
    }

    /// Returns the positions of the bytes of the user and the password in a URL, which may be invalid or lack its
    /// scheme; nil if it has none.
    static func userInformation(in text: String) -> Range<Int>? {
        let bytes = Array(text.utf8)
        let start = bytes.firstRange(of: "://".utf8)?.upperBound ?? 0
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")), at > start else { return nil }
        return start..<at
    }

    /// Returns the user and the password in a URL, decoded.
    static func credentials(in text: String) -> (user: String, password: String)? {
        guard let authority = try? URLReference(reading: text).authority,
            let credentials = URLReference.Authority(authority).credentials
        else { return nil }
        return (credentials.user, credentials.password ?? "")
    }
}

/// The encoding of forms and queries (application/x-www-form-urlencoded).
enum FormEncoding {
    static func text(of fields: [(name: String, value: String)]) -> String {
        fields.map { encoded($0.name) + "=" + encoded($0.value) }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: " "): result += "+"
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return result
    }
}
