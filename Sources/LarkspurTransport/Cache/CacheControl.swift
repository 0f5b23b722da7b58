#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The directives of a `Cache-Control` field that a private cache obeys (RFC 9111, section 5.2; RFC 5861; RFC 8246).
///
/// The parser accepts the values that real servers send. It skips unknown directives, and numbers may be quoted. If a
/// directive occurs twice, the more restrictive value is used. If the `max-age` of a response is not a number, the
/// response is stale. `s-maxage` and `proxy-revalidate` concern shared caches and are ignored.
struct CacheControl: Equatable, Sendable {
    /// The largest number of seconds. It replaces all larger numbers (RFC 9111, section 1.2.2).
    static let longest = 1 << 31

    var noStore = false
    var noCache = false
    var mustRevalidate = false
    var mustUnderstand = false
    var isPublic = false
    var isPrivate = false
    var isImmutable = false
    var onlyIfCached = false
    /// The value of `max-age`. This value and the following values are in seconds.
    var maxAge: Int?
    var maxStale: Int?
    var minFresh: Int?
    var staleWhileRevalidate: Int?
    var staleIfError: Int?

    /// Creates a value without directives.
    init() {}

    /// Reads the value of a field, or the values of several fields joined by commas.
    init(_ text: String) {
        var rest = Array(text.utf8)[...]
        while let (name, value) = Self.cutDirective(off: &rest) { add(name, value) }
    }

    /// Reads the fields of a message. If there is no `Cache-Control`, reads the HTTP/1.0 field `Pragma`.
    init(_ text: String?, pragma: @autoclosure () -> String?) {
        self.init(text ?? "")
        if text == nil { noCache = pragma()?.hasSameLetters(as: "no-cache") ?? false }
    }

    private mutating func add(_ name: String, _ value: ArraySlice<UInt8>?) {
        switch name {
        case "no-store": noStore = true
        // A cache may treat `no-cache` with a list of fields in the same way as `no-cache` without a list.
        case "no-cache": noCache = true
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "immutable": isImmutable = true
        case "only-if-cached": onlyIfCached = true
        case "max-age": maxAge = min(maxAge ?? Self.longest, Self.seconds(value) ?? 0)
        case "min-fresh": minFresh = max(minFresh ?? 0, Self.seconds(value) ?? Self.longest)
        case "max-stale":
            let limit = value == nil ? Self.longest : Self.seconds(value) ?? 0
            maxStale = min(maxStale ?? Self.longest, limit)
        case "stale-while-revalidate":
            staleWhileRevalidate = min(staleWhileRevalidate ?? Self.longest, Self.seconds(value) ?? 0)
        case "stale-if-error": staleIfError = min(staleIfError ?? Self.longest, Self.seconds(value) ?? 0)
        default: break
        }
    }

    /// Removes the next directive from the front, and returns it. Returns nil at the end.
    private static func cutDirective(off rest: inout ArraySlice<UInt8>) -> (String, ArraySlice<UInt8>?)? {
        rest = rest.drop { $0.isBlank || $0 == UInt8(ascii: ",") }
        guard !rest.isEmpty else { return nil }
        let name = rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
        rest = rest[name.endIndex...]
        let text = String(decoding: name.filter { !$0.isBlank }.map(\.asLowercase), as: UTF8.self)
        guard rest.first == UInt8(ascii: "=") else { return (text, nil) }
        rest = rest.dropFirst().drop(while: \.isBlank)
        let value: ArraySlice<UInt8>
        if rest.first == UInt8(ascii: "\"") {
            rest = rest.dropFirst()
            value = rest.prefix { $0 != UInt8(ascii: "\"") }
        } else {
            value = rest.prefix { $0 != UInt8(ascii: ",") && !$0.isBlank }
        }
        rest = rest[value.endIndex...].drop { $0 != UInt8(ascii: ",") }
        return (text, value)
    }

    /// Reads a number of seconds; nil if the value does not consist of digits.
    private static func seconds(_ value: ArraySlice<UInt8>?) -> Int? { value?.decimalNumber(atMost: longest) }
}
#endif
