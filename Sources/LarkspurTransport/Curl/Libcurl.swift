#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

/// The libcurl of this process.
enum Libcurl {
    /// Uses the libcurl in a file, unless another libcurl was found before.
    static func choose(_ file: URL) throws(LibcurlChoiceError) {
        var reason = [CChar](repeating: 0, count: 1024)
        let choice = libcurl_choose(file.path, &reason, reason.count)
        let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        switch choice {
        case LIBCURL_CHOSEN: return
        case LIBCURL_UNUSABLE: throw LibcurlChoiceError(.fileUnusable, text)
        default: throw LibcurlChoiceError(.otherInUse, text)
        }
    }

    /// Whether the program or the environment has specified the file of libcurl.
    static let isNamed = libcurl_is_named()

    /// The path of libcurl's file; nil if there is no libcurl, or if it is linked into the program.
    static let path: String? = libcurl_path().map { String(cString: $0) }

    /// libcurl and the libraries that it uses, such as "libcurl/7.88.1 OpenSSL/3.0.19 zlib/1.2.13"; empty without a
    /// libcurl.
    static let description: String = libcurl_description().map { String(cString: $0) } ?? ""

    /// The file of certificate authorities with which libcurl was built; nil if libcurl does not report it.
    static let authoritiesFile: String? = libcurl_authorities_file().map { String(cString: $0) }

    /// The folder of certificate authorities with which libcurl was built; nil if libcurl does not report it.
    static let authoritiesFolder: String? = libcurl_authorities_folder().map { String(cString: $0) }

    /// The reason why libcurl cannot be used; nil if it can.
    static let unavailability: String? = libcurl_unavailability().map { String(cString: $0) }

    /// libcurl's version, such as "7.88.1"; nil if there is none.
    static let version: String? = libcurl_version().map { String(cString: $0) }

    /// libcurl's TLS library, such as "OpenSSL/3.0.19"; nil if there is none.
    static let tlsLibrary: String? = libcurl_tls_library().map { String(cString: $0) }

    /// libcurl's version as 0xMMmmpp; 0 if there is none.
    static let versionNumber = libcurl_version_number()

    /// Whether libcurl was built with HTTP/2.
    static let hasHTTP2 = libcurl_features() & CURL_VERSION_HTTP2 != 0

    /// Whether libcurl can use HTTP/3. False for versions before 7.88, because they do not fall back to TCP if QUIC
    /// does not work.
    static let hasHTTP3 = libcurl_features() & CURL_VERSION_HTTP3 != 0 && isAtLeast(7, 88)

    /// Whether libcurl reports the numbers of connections.
    static let identifiesConnections = isAtLeast(8, 2)

    /// Whether libcurl has the following fault. After a pause, libcurl passes on the data that it has buffered. If the
    /// transfer then pauses again, libcurl fails it with error 23. Only version 8.16.0 has this fault.
    static let failsRepeatedPauses = versionNumber == 0x081000

    /// Whether `CURLOPT_CAINFO` and `CURLOPT_CAPATH` without a value mean libcurl's default file and folder. Before
    /// 8.21.0, they mean that there is no file and no folder.
    static let replacesMissingRoots = isAtLeast(8, 21)

    /// Whether libcurl retains a pointer to a field of a handle's last response after it has freed the field. If the
    /// next response begins with a folded line, libcurl reads the freed memory. This concerns versions 7.84.0 to 8.0.1.
    static let remembersFreedFields = isAtLeast(7, 84) && !isAtLeast(8, 1)

    /// Whether libcurl has at least this version.
    static func isAtLeast(_ major: UInt32, _ minor: UInt32) -> Bool {
        libcurl_version_number() >= major << 16 | minor << 8
    }
}

extension TLSAbilities {
    /// The abilities of the libcurl in use.
    static let present = {
        var abilities = TLSAbilities(
            trustUnavailability: ServerTrust.unavailability,
            library: Libcurl.tlsLibrary ?? "no library"
        )
        abilities.takesBlobs = Libcurl.isAtLeast(7, 71)
        return abilities
    }()
}

/// A library that libcurl uses.
public struct LibcurlComponent: Sendable, Hashable {
    /// The name that libcurl reports, such as "nghttp2".
    public let name: String
    /// The version, such as "1.52.0".
    public let version: String
}

extension LibcurlComponent {
    /// Reads the words of libcurl's description that have a version. The first word is libcurl itself. A word in
    /// parentheses is a library that libcurl does not use directly.
    static func list(in description: String) -> [Self] {
        description.parts(separatedBy: " ").dropFirst().compactMap { word in
            let parts = word.parts(separatedBy: "/", maxSplits: 1)
            guard parts.count == 2, let name = parts.first, let version = parts.last, !name.begins(with: "(") else {
                return nil
            }
            return Self(name: String(name), version: String(version))
        }
    }

    /// Whether the library implements HTTP/2.
    var isHTTP2: Bool { name == "nghttp2" }

    /// Whether the library implements QUIC or HTTP/3. OpenSSL's own QUIC cannot be distinguished from its TLS.
    var isHTTP3: Bool { ["ngtcp2", "nghttp3", "quiche", "msh3"].contains(name) }
}

extension Libcurl {
    /// The libraries with which libcurl implements HTTP/2.
    static let http2Libraries = LibcurlComponent.list(in: description).filter(\.isHTTP2)

    /// The libraries with which libcurl implements HTTP/3.
    static let http3Libraries = LibcurlComponent.list(in: description).filter(\.isHTTP3)
}

/// The failure of a session because the machine temporarily lacks resources. The next task of the session tries again.
enum LoopFailure: Error, Equatable {
    /// No thread could be created. The value is the `errno`.
    case noThread(Int32)
    /// libcurl could not allocate memory.
    case noHandle
    /// No file descriptor was free, for waiting or for waking the thread.
    case noWakeup

    func error(url: URL?) -> URLError {
        switch self {
        case .noThread(let number):
            .engine(
                .resourceUnavailable,
                "The session has no thread, as none could be made: \(String(cString: strerror(number))).",
                url: url,
                underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(number))
            )
        case .noHandle: .engine(.resourceUnavailable, "libcurl could not make a handle for the session.", url: url)
        case .noWakeup:
            .engine(
                .resourceUnavailable,
                "The session's thread could not be woken, as no file descriptors were free for that (see ulimit -n).",
                url: url
            )
        }
    }
}
#endif
