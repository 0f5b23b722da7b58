#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax

/// The lines of a request's fields while they are collected. If a name occurs twice, only the first field is used.
struct RequestLines {
    /// The fields that determine whether other lines are added.
    struct Noted: OptionSet {
        let rawValue: UInt16

        static let accept = Noted(rawValue: 1)
        static let acceptEncoding = Noted(rawValue: 2)
        static let acceptLanguage = Noted(rawValue: 4)
        static let userAgent = Noted(rawValue: 8)
        static let contentType = Noted(rawValue: 16)
        static let expect = Noted(rawValue: 32)
        static let range = Noted(rawValue: 64)
    }

    private(set) var lines: [String] = []
    private var names: [String] = []
    private var noted: Noted = []
    private var statedLength: Int64?
    private let mayAskFirst: Bool

    /// - Parameter mayAskFirst: Whether the request may have `Expect: 100-continue`.
    init(mayAskFirst: Bool) {
        self.mayAskFirst = mayAskFirst
        lines.reserveCapacity(16)
        names.reserveCapacity(16)
    }

    func contains(_ field: Noted) -> Bool { noted.contains(field) }

    mutating func add(_ name: String, _ value: String) throws(RequestHead.Failure) {
        guard name.isToken else { throw .invalidFieldName(name) }
        guard !value.breaksLine else { throw .invalidFieldValue(name: name) }
        guard !names.contains(where: { $0.hasSameLetters(as: name) }) else { return }
        names.append(name)
        if note(name, value) {
            // For libcurl, a name that is followed only by a colon means that the field is not sent.
            lines.append(value.utf8.allSatisfy(\.isBlank) ? name + ";" : name + ": " + value)
        }
    }

    /// Records a field. Returns whether the caller may set it.
    private mutating func note(_ name: String, _ value: String) -> Bool {
        switch name.utf8.count {
        case 5 where name.hasSameLetters(as: "Range"): noted.insert(.range)
        case 6 where name.hasSameLetters(as: "Accept"): noted.insert(.accept)
        case 6 where name.hasSameLetters(as: "Expect"):
            guard mayAskFirst else { return false }
            noted.insert(.expect)
        case 10 where name.hasSameLetters(as: "User-Agent"): noted.insert(.userAgent)
        case 12 where name.hasSameLetters(as: "Content-Type"): noted.insert(.contentType)
        case 15 where name.hasSameLetters(as: "Accept-Encoding"): noted.insert(.acceptEncoding)
        case 15 where name.hasSameLetters(as: "Accept-Language"): noted.insert(.acceptLanguage)
        case 14 where name.hasSameLetters(as: "Content-Length"):
            statedLength = ContentLength(value).value
            return false
        case 17 where name.hasSameLetters(as: "Transfer-Encoding"): return false
        // A field for the proxy must not be sent to the server (RFC 9110, section 11.7.2). Another option passes the
        // field to libcurl.
        case 19 where name.hasSameLetters(as: "Proxy-Authorization"): return false
        default: break
        }
        return true
    }

    /// Returns the length of the content. For a stream it is the value of the caller's Content-Length field.
    func length(ofBody body: RequestHead.BodyLength) -> RequestHead.BodyLength {
        guard body == .unknown, let statedLength else { return body }
        return .known(statedLength)
    }

    mutating func addDefaults(method: String, body: RequestHead.BodyLength) {
        addContentDefaults(method: method, body: body)
        if !contains(.accept) { lines.append(Self.accept) }
        if !contains(.userAgent) { lines.append(Self.userAgent) }
        if !contains(.acceptLanguage), let language = Self.acceptLanguage { lines.append(language) }
    }

    private mutating func addContentDefaults(method: String, body: RequestHead.BodyLength) {
        let isPost = method == "POST"
        if !contains(.contentType), body.hasContent {
            // libcurl would add this type to any content. It must be added only to a POST without a type.
            lines.append(isPost ? "Content-Type: application/x-www-form-urlencoded" : "Content-Type:")
        }
        if body.hasContent {
            if !contains(.expect), !mayAskFirst || !body.isLong { lines.append("Expect:") }
        } else if MethodProperties(method).anticipatesContent {
            lines.append("Content-Length: 0")
        }
    }
}

extension RequestLines {
    /// The lines of a request that sets no fields.
    static let defaults: [String] = [accept, userAgent] + (acceptLanguage.map { [$0] } ?? [])

    static let accept = "Accept: */*"

    /// The user's language, as FoundationNetworking sends it.
    static let acceptLanguage: String? = Locale.current.language.languageCode.map {
        "Accept-Language: \($0.identifier)"
    }

    /// The program's name and libcurl's version, as FoundationNetworking sends them.
    static let userAgent: String = {
        let version = libcurl_version().map { String(cString: $0) } ?? "unknown"
        let name = ProcessInfo.processInfo.processName.utf8.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "_") }
        return "User-Agent: \(String(decoding: name, as: UTF8.self)) (unknown version) curl/\(version)"
    }()
}

/// The lines of the last request without content, credentials and cookies, and all values that determine the lines.
struct RememberedLines {
    let method: String
    let fields: [String: String]
    let additionalFields: [String: String]
    let mayAskFirst: Bool
    let lines: [String]
    /// The length of the lines in bytes.
    let length: Int
    let setsAcceptEncoding: Bool
    let asksForRange: Bool

    /// Whether a request has the same lines.
    func matches(
        _ method: String,
        _ fields: [String: String],
        _ additionalFields: [String: String],
        _ mayAskFirst: Bool
    ) -> Bool {
        self.method == method && self.mayAskFirst == mayAskFirst && self.fields == fields
            && self.additionalFields == additionalFields
    }
}
#endif
