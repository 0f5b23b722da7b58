#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

/// A list of public suffixes. Below a public suffix, such as `co.uk`, different owners register names. These owners
/// must not share a cookie.
enum PublicSuffixList: Sendable {
    /// The list of libpsl, which is installed with libcurl on most systems.
    case system
    /// A rule for machines without a list. A public suffix is a single label, such as `com`; or the two letters of a
    /// country after a label that registries commonly use, such as `co.uk`.
    case heuristic

    static let current: PublicSuffixList = libpsl_is_available() ? .system : .heuristic

    /// Returns the part of a name that belongs to one owner: the public suffix and one label before it. Nil if the name
    /// is a public suffix.
    /// - Parameter name: The name in lower case, as ASCII, without a trailing dot.
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
