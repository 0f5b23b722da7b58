internal import HTTPSyntax

extension HTTPHeaders {
    /// The default fields of ``RequestSettings``: `Accept-Language` from the user's preferred languages, and
    /// `User-Agent` from the process's name, the bundle's version and the operating system. They are created once.
    ///
    /// On Linux the language is that of the process's locale, which is the first of the environment variables `LC_ALL`,
    /// `LC_MESSAGES` and `LANG` that has a value. If that value is `C` or `POSIX`, or if none has a value, there is no
    /// `Accept-Language`. The operating system is `Linux`, without the kernel's release, because that would reveal to
    /// servers the known vulnerabilities of the machine. On Apple platforms both fields are as in AFNetworking.
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

    private static var bundleVersion: String? {
        let info = Bundle.main.infoDictionary
        return info?["CFBundleShortVersionString"] as? String ?? info?["CFBundleVersion"] as? String
    }
}

extension HTTPHeaders.Field {
    /// Creates a `User-Agent` field as `Product/Version (System)` in ASCII (RFC 9110, section 10.1.5).
    ///
    /// Other scripts are transliterated, as in AFNetworking. Characters that are then not allowed in a token become
    /// hyphens.
    static func userAgent(product: String, version: String, system: String) -> Self {
        let comment = ascii(system).filter {
            $0 != "(" && $0 != ")" && $0 != "\\" && $0.asciiValue.map { $0 >= 0x20 } == true
        }
        return userAgent("\(token(product) ?? "Larkspur")/\(token(version) ?? "1.0") (\(comment))")
    }

    private static func ascii(_ text: String) -> String {
        let transform = StringTransform("Any-Latin; Latin-ASCII; [:^ASCII:] Remove")
        let latin = text.applyingTransform(transform, reverse: false) ?? text
        return String(String.UnicodeScalarView(latin.unicodeScalars.filter(\.isASCII)))
    }

    private static func token(_ text: String) -> String? {
        let bytes = ascii(text).utf8.map { $0.isToken ? $0 : UInt8(ascii: "-") }
        let token = String(decoding: bytes, as: UTF8.self)
        return token.contains { $0 != "-" } ? token : nil
    }
}
