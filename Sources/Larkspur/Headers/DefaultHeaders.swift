internal import HTTPSyntax

extension HTTPHeaders {
    /// The default fields of ``RequestSettings``: `Accept-Language` from the user's preferred languages, and
    /// `User-Agent` from the process's name, the bundle's version and the operating system. The fields are created
    /// once.
    ///
    /// On Linux the version is always `1.0`, because a program has no bundle there. The language comes from the
    /// process's locale. The locale is the first of the environment variables `LC_ALL`, `LC_MESSAGES` and `LANG` that
    /// has a value. If that value is `C` or `POSIX`, or if no variable has a value, there is no `Accept-Language`. The
    /// operating system is `Linux`, without the kernel's release, because the release would reveal the known
    /// vulnerabilities of the machine to servers. On Apple platforms both fields are as in AFNetworking, but a name
    /// that is not ASCII is percent-encoded instead of transliterated.
    public static let `default`: HTTPHeaders = {
        var headers: HTTPHeaders = []
        let language = Field.acceptLanguage(Platform.preferredLanguages)
        if !language.value.isEmpty { headers.set(language) }
        headers.set(
            .userAgent(
                product: ProcessInfo.processInfo.processName,
                version: bundleVersion ?? "1.0",
                system: OperatingSystem.description
            )
        )
        return headers
    }()

    /// The version of the program's bundle; nil on Linux, where programs have no bundle.
    private static var bundleVersion: String? {
        #if canImport(Darwin)
        let info = Bundle.main.infoDictionary
        return info?["CFBundleShortVersionString"] as? String ?? info?["CFBundleVersion"] as? String
        #else
        return nil
        #endif
    }
}

extension HTTPHeaders.Field {
    /// Creates a `User-Agent` field as `Product/Version (System)` in ASCII (RFC 9110, section 10.1.5).
    ///
    /// Bytes outside ASCII are percent-encoded, as in the field that URLSession sends on Apple platforms. Other
    /// characters that are not allowed in a token become hyphens. If only hyphens remain of the product, the field
    /// names Larkspur and its version.
    static func userAgent(product: String, version: String, system: String) -> Self {
        // Parentheses and backslashes have a meaning in a comment (RFC 9110, section 5.6.5).
        let comment = system.unicodeScalars.filter {
            (0x20...0x7E).contains($0.value) && !"()\\".unicodeScalars.contains($0)
        }
        guard let product = token(product) else {
            return Self(name: "User-Agent", value: "Larkspur/\(LarkspurVersion.current) (\(comment))")
        }
        return Self(name: "User-Agent", value: "\(product)/\(token(version) ?? "1.0") (\(comment))")
    }

    /// Returns a text as a token; nil if no character of it is allowed in a token.
    ///
    /// AFNetworking transliterates other scripts. ICU's transliterator is not used here: with a locale in the
    /// environment that ICU cannot parse, it ends the process, and it costs 6 ms and 4 MB.
    private static func token(_ text: String) -> String? {
        var token: [UInt8] = []
        for byte in text.utf8 {
            if byte >= 0x80 {
                PercentEncoding.append(byte, to: &token)
            } else {
                token.append(byte.isToken ? byte : UInt8(ascii: "-"))
            }
        }
        return token.contains { $0 != UInt8(ascii: "-") } ? String(decoding: token, as: UTF8.self) : nil
    }
}

/// The name of a locale in POSIX's environment variables, such as `de_AT.UTF-8@euro` (POSIX.1-2024, section 8.2).
struct LocaleName {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Returns the locale of a process's messages; nil if no variable names a locale. An empty variable counts as
    /// unset.
    static func ofMessages(in environment: [String: String]) -> LocaleName? {
        for variable in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            if let value = environment[variable], !value.isEmpty { return LocaleName(value) }
        }
        return nil
    }

    /// The language tag (RFC 5646), such as `de-AT`; nil for `C`, `POSIX`, and a value that is not the name of a
    /// language, such as the path of a file.
    var languageTag: String? {
        let name = text.before(".").before("@")
        let parts = name.parts(separatedBy: "_", omittingEmptyParts: false)
        // A language has two or three letters, and a region two letters or three digits (RFC 5646, section 2.1).
        guard let language = parts.first, (2...3).contains(language.utf8.count), parts.count <= 2,
            parts.allSatisfy({ part in (2...3).contains(part.utf8.count) && part.utf8.allSatisfy(Self.isAlphanumeric) })
        else { return nil }
        return parts.joined(separator: "-")
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension Platform {
    /// The preferred languages of the user as language tags, in order of preference; empty if they are not known.
    ///
    /// Foundation on Linux always returns `en-001`, without regard to the environment.
    static var preferredLanguages: [String] {
        #if canImport(Darwin)
        Locale.preferredLanguages
        #else
        LocaleName.ofMessages(in: ProcessInfo.processInfo.environment)?.languageTag.map { [$0] } ?? []
        #endif
    }
}

/// The operating system, as the field `User-Agent` names it.
enum OperatingSystem {
    /// The name and version, such as `macOS 15.1.0`. On Linux only the name, because the version there would be the
    /// kernel's release.
    static var description: String {
        #if os(Linux)
        return name
        #else
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(name) \(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        #endif
    }

    private static var name: String {
        #if os(Linux)
        "Linux"
        #elseif os(macOS)
        "macOS"
        #elseif os(iOS)
        "iOS"
        #elseif os(tvOS)
        "tvOS"
        #elseif os(watchOS)
        "watchOS"
        #elseif os(visionOS)
        "visionOS"
        #else
        "Unknown"
        #endif
    }
}
