#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax

/// A host name in lower case, in the form in which cookies are compared (RFC 6265, section 5.1.3).
///
/// A name with a trailing dot and the name without it are different hosts, for cookies as for requests. A trailing dot
/// does not change whether a name is an address or a public suffix.
struct CookieHost: Equatable {
    let name: String
    private let suffixes: PublicSuffixList

    init(_ name: some StringProtocol, suffixes: PublicSuffixList = .current) {
        self.name = name.lowercased()
        self.suffixes = suffixes
    }

    static func == (a: CookieHost, b: CookieHost) -> Bool { a.name == b.name }

    /// The name without its trailing dot, if it has one.
    private var relativeName: Substring { Substring(name.utf8.dropLast(name.ends(with: ".") ? 1 : 0)) }

    /// Whether the host is an address in a form that the system's resolver accepts: an IPv6 address, or a name whose
    /// last label is a decimal, octal or hexadecimal number.
    var isAddress: Bool {
        if name.utf8.contains(UInt8(ascii: ":")) { return true }
        let last = relativeName.utf8.reversed().prefix { $0 != UInt8(ascii: ".") }.reversed()
        guard let first = last.first else { return false }
        if last.allSatisfy(\.isDigit) { return true }
        let isHexadecimal = last.dropFirst(2).allSatisfy { $0.hexDigitValue != nil }
        return first == UInt8(ascii: "0") && last.dropFirst().first == UInt8(ascii: "x") && isHexadecimal
    }

    /// Whether the host is the domain or one of its subdomains.
    func isWithin(_ domain: some StringProtocol) -> Bool {
        let host = name.utf8
        let domain = domain.utf8
        if host.elementsEqual(domain) { return true }
        guard host.count > domain.count, !domain.isEmpty, !isAddress else { return false }
        return host.suffix(domain.count).elementsEqual(domain)
            && host.dropLast(domain.count).last == UInt8(ascii: ".")
    }

    /// Whether different owners register names below this name. Such owners must not share a cookie.
    var isPublicSuffix: Bool { suffixes.registrableDomain(of: String(relativeName)) == nil }

    /// The part of the name that belongs to one owner: the public suffix and one label before it. For an address or a
    /// public suffix, it is the whole name.
    var site: String {
        guard !isAddress, let domain = suffixes.registrableDomain(of: String(relativeName)) else { return name }
        return domain + (name.ends(with: ".") ? "." : "")
    }
}

/// The matching of paths with cookies (RFC 6265, section 5.1.4).
enum CookiePath {
    /// Returns the path of a cookie without a `Path` attribute: the folder of the request's path.
    static func byDefault(for requestPath: String) -> String {
        guard requestPath.utf8.first == UInt8(ascii: "/"),
            let slash = requestPath.utf8.lastIndex(of: UInt8(ascii: "/")), slash > requestPath.startIndex
        else { return "/" }
        return String(requestPath[..<slash])
    }

    static func matches(_ requestPath: String, cookiePath: String) -> Bool {
        let request = requestPath.isEmpty ? "/".utf8 : requestPath.utf8
        let cookie = cookiePath.utf8
        guard cookie.first == UInt8(ascii: "/") else { return true }
        guard request.starts(with: cookie) else { return false }
        return request.count == cookie.count || cookie.last == UInt8(ascii: "/")
            || request.dropFirst(cookie.count).first == UInt8(ascii: "/")
    }
}

/// A list of public suffixes. Below a public suffix, such as `co.uk`, different owners register names. These owners
/// must not share a cookie.
enum PublicSuffixList: Sendable {
    /// The list of libpsl, which is installed with libcurl on most systems.
    case system
    /// A rule for machines without a list. A public suffix is one of two forms: a single label, such as `com`, or the
    /// two letters of a country after a label that registries commonly use, such as `co.uk`.
    case heuristic

    static let current: PublicSuffixList = libpsl_is_available() ? .system : .heuristic

    /// Returns the part of a name that belongs to one owner: the public suffix and one label before it. Returns nil if
    /// the name is a public suffix.
    /// - Parameter name: The name in lower case, in ASCII, without a trailing dot.
    func registrableDomain(of name: String) -> String? {
        // In the DNS, no name is longer than 253 bytes, and no label is empty.
        guard !name.isEmpty, name.utf8.count <= 253, !name.utf8.first.isDot, !name.utf8.last.isDot else { return nil }
        switch self {
        case .system:
            let offset = Int(libpsl_registrable_domain(name))
            return offset < 0 ? nil : String(decoding: name.utf8.dropFirst(offset), as: UTF8.self)
        case .heuristic:
            let labels = name.parts(separatedBy: ".", omittingEmptyParts: false)
            let count = Self.isRegistry(labels.suffix(2)) ? 3 : 2
            return labels.count < count ? nil : labels.suffix(count).joined(separator: ".")
        }
    }

    private static func isRegistry(_ labels: ArraySlice<Substring>) -> Bool {
        guard labels.count == 2, let first = labels.first, let last = labels.last else { return false }
        return last.utf8.count == 2 && registryLabels.contains(String(first))
    }

    private static let registryLabels: Set<TextKey> = [
        "ac", "co", "com", "edu", "go", "gob", "gov", "gouv", "ltd", "mil", "ne", "net", "nom", "or", "org", "plc",
        "sch",
    ]
}

extension UInt8? {
    fileprivate var isDot: Bool { self == UInt8(ascii: ".") }
}
#endif
