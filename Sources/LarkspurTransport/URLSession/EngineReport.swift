#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A report about the libraries that the engine found on this machine, and about the features that they enable or lack.
///
///     print(EngineReport())
///
/// The engine searches for libcurl, its TLS library and the libraries of content codings at run time. So the available
/// features are known only on the machine on which the program runs. Print the report, or store it in the list of the
/// software that a service uses.
public struct EngineReport: Sendable, CustomStringConvertible {
    /// An ability of the engine that depends on the libraries.
    public struct Ability: Sendable, Hashable {
        /// The name, such as "HTTP/2".
        public let name: String
        /// The reason why the engine does not have the ability, or does not use it by default. Nil if the engine uses
        /// the ability.
        public let unavailability: String?

        /// Whether the engine has the ability.
        public var isAvailable: Bool { unavailability == nil }
    }

    /// The version of libcurl, such as "7.88.1"; nil if there is none.
    public let libcurlVersion: String?
    /// The path of libcurl's file; nil if there is no libcurl, or if it is linked into the program.
    public let libcurlPath: String?
    /// libcurl's TLS library with its version, such as "OpenSSL/3.0.19"; nil if there is none.
    public let tlsLibrary: String?
    /// The libraries that libcurl uses, in libcurl's order: for TLS, codings, HTTP/2, HTTP/3, names and other purposes.
    public let components: [LibcurlComponent]
    /// The file or folder of the certificate authorities that are trusted by default; nil if none can be read.
    public let authorities: String?
    /// The reason why the engine cannot be used; nil if it can be used.
    public let unavailabilityReason: String?
    /// The features that depend on the libraries, in a fixed order.
    public let abilities: [Ability]
    /// The sorted paths of the libraries in the process that the engine uses, directly or through libcurl. The file
    /// names contain the versions, such as "libz.so.1.2.13". Empty if the system does not provide the list.
    public let libraries: [String]

    /// Creates the report for this process. If the libraries that the engine needs are not loaded yet, they are loaded
    /// now, and remain loaded.
    public init() {
        let abilities = Self.presentAbilities
        // The system reports no size for this file. Foundation's functions that read a whole file would therefore stop
        // after one page.
        let maps = try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd()
        self.init(abilities: abilities, maps: String(decoding: maps ?? Data(), as: UTF8.self))
    }

    /// - Parameters:
    ///   - description: libcurl and its libraries, as `curl_version` lists them.
    ///   - maps: The list of the files that are mapped into the process, in the format of `/proc/self/maps`.
    init(abilities: [Ability], description: String = Libcurl.description, maps: String) {
        libcurlVersion = Libcurl.version
        libcurlPath = Libcurl.path
        tlsLibrary = Libcurl.tlsLibrary
        components = LibcurlComponent.list(in: description)
        authorities = SystemRoots.path(file: Libcurl.authoritiesFile, folder: Libcurl.authoritiesFolder)
        unavailabilityReason = Libcurl.unavailability
        self.abilities = abilities
        libraries = Self.libraries(in: maps)
    }

    /// The report as text, with one item on each line.
    public var description: String {
        var lines = ["libcurl      \(libcurlVersion ?? unavailabilityReason ?? "none")"]
        if let libcurlPath { lines.append("file         \(libcurlPath)") }
        lines.append("TLS          \(tlsLibrary ?? "none")")
        lines += components.map { "component    \($0.name) \($0.version)" }
        lines.append("authorities  \(authorities ?? "none")")
        for ability in abilities {
            lines.append(
                "\(ability.isAvailable ? "yes" : "no ")          \(ability.name)\(ability.unavailability.map { ": \($0)" } ?? "")"
            )
        }
        lines += libraries.map { "library      \($0)" }
        return lines.joined(separator: "\n")
    }

    private static var presentAbilities: [Ability] {
        let codings = ContentCoding.allCases.map { coding in
            Ability(
                name: "content coding \(coding.rawValue)",
                unavailability: coding.isAvailable
                    ? nil : "its library is not installed, and Accept-Encoding does not name it"
            )
        }
        return [http2, http3] + codings + presentTLSAbilities + [
            Ability(
                name: "revocation lists, and closures that decide about servers",
                unavailability: ServerTrust.unavailability.map { "\($0)" }
            ),
            Ability(
                name: "list of public suffixes for cookies",
                unavailability: PublicSuffixList.current == .system
                    ? nil : "libpsl is not installed; a rule takes its place"
            ),
        ]
    }

    private static var http2: Ability {
        Ability(name: "HTTP/2", unavailability: HTTP2Judgement.ofLoadedLibcurl.unavailability)
    }

    private static var http3: Ability {
        Ability(
            name: "HTTP/3 (as an option)",
            unavailability: Libcurl.hasHTTP3 ? nil : "this libcurl was built without it, or is older than 7.88"
        )
    }

    private static let names = [
        "libcurl", "libssl", "libcrypto", "libgnutls", "libz.", "libbrotli", "libzstd", "libpsl", "libnghttp2",
        "libnghttp3", "libngtcp2", "libidn2", "libFoundationNetworking",
    ]

    private static func libraries(in maps: String) -> [String] {
        let paths = maps.parts(separatedBy: "\n").compactMap { line -> String? in
            // The path is the last column, and may contain blanks. The other columns do not contain a slash.
            guard let path = line.utf8.firstIndex(of: UInt8(ascii: "/")).map({ line[$0...] }) else { return nil }
            let name = path.parts(separatedBy: "/").last ?? ""
            return names.contains { name.begins(with: $0) } && name.holds(".so") ? String(path) : nil
        }
        return Set(paths.map { TextKey($0) }).map(\.text).sorted()
    }
}
#endif
