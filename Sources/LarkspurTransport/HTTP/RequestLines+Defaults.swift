#if canImport(FoundationNetworking)

internal import CLibcurl

extension RequestLines {
    /// The lines of a request without fields of its own.
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

#endif
