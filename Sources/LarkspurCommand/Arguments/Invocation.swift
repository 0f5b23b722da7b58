import HTTPSyntax
import Larkspur

/// The parsed arguments of one run of the program.
struct Invocation: Equatable, Sendable {
    /// The kind of work that the arguments request.
    enum Mode: Equatable, Sendable {
        case request
        case webSocket
        case doctor
        case help
        case version
        case completion(Shell)
        /// The installation of a completion script.
        case installation(Shell)
    }

    enum Shell: String, Sendable, CaseIterable {
        case bash, zsh, fish
    }

    /// The encoding of the data items.
    enum ContentKind: Equatable, Sendable {
        case json, form, multipart
    }

    enum AuthenticationScheme: String, Sendable, CaseIterable {
        case basic, bearer, digest
    }

    /// The server certificates that are trusted.
    enum Verification: Equatable, Sendable {
        case system
        case off
        /// The certificate authorities in a file of PEM certificates.
        case file(String)
    }

    enum HTTPVersion: String, Sendable, CaseIterable {
        case http1 = "1.1"
        case http2 = "2"
        case http3 = "3"
    }

    /// The family of the addresses to which connections are opened.
    enum IPVersion: Sendable {
        case ipv4, ipv6
    }

    enum Prettiness: String, Sendable, CaseIterable {
        case all, colors, format
        case plain = "none"
    }

    /// The options for the request, and its content.
    struct Request: Equatable, Sendable {
        /// The method; nil if the data determine it: POST with data, otherwise GET.
        var method: String?
        var url = ""
        var items: [RequestItem] = []
        var contentKind: ContentKind?
        var boundary: String?
        var raw: String?
        /// The coding in which the body is compressed; nil for none.
        var compression: RequestCoding?
        var isChunked = false
        var ignoresStandardInput = false
        var defaultScheme = "http"
        var isOffline = false
        var showsCurlCommand = false

        /// Whether the items have data for a body.
        var hasDataItems: Bool { items.contains { $0.kind.isData } }
    }

    /// The options for what is printed and written.
    struct Output: Equatable, Sendable {
        /// The letters of `--print`; nil for the default.
        var parts: MessageParts?
        var verbosity = 0
        var prettiness: Prettiness?
        var isStreaming = false
        /// The charset of the response's body on a terminal, in place of the one that the response names.
        var responseCharset: String?
        var file: String?
        var isQuiet = false
        var showsTimings = false
        var archiveFile: String?
    }

    /// The options for a download.
    struct Download: Equatable, Sendable {
        var isRequested = false
        var continues = false
    }

    /// The options for saved sessions and for credentials.
    struct Credentials: Equatable, Sendable {
        var session: String?
        var isSessionReadOnly = false
        /// The value of `--auth`.
        var text: String?
        var scheme: AuthenticationScheme?
        /// Whether the user's netrc file is ignored.
        var ignoresNetrc = false
        /// The value of `--aws-sigv4`.
        var signing: AWSSigning?
    }

    /// The options for redirects and connections.
    struct Network: Equatable, Sendable {
        var followsRedirects = false
        var maximumRedirects = 30
        /// The longest time without a byte, in seconds; nil for no limit.
        var timeout: Double?
        var verification = Verification.system
        var certificateFile: String?
        var keyFile: String?
        var proxies: [String] = []
        var hostAddresses: [HostEntry] = []
        /// The network interface or address from which connections are opened; nil for the choice of the system.
        var localAddress: String?
        var family: IPVersion?
        var unixSocket: String?
        /// Whether connections are opened only to public addresses.
        var isPublicOnly = false
        var httpVersion: HTTPVersion?
        var checksStatus = false
    }

    /// The options for repetitions and streams.
    struct Streams: Equatable, Sendable {
        var repetitions: Int?
        var parallelism = 1
        /// The number of repetitions after temporary failures; nil for none.
        var retries: Int?
        /// The time between such repetitions, in seconds; nil for the default.
        var retryDelay: Double?
        /// The time for all repetitions of a request, in seconds; nil for no limit.
        var retryTime: Double?
        var receivesEvents = false
    }

    var mode = Mode.request
    /// Whether the default options of the configuration file are ignored.
    var ignoresConfiguration = false
    var request = Request()
    var output = Output()
    var download = Download()
    var credentials = Credentials()
    var network = Network()
    var streams = Streams()
}

extension Invocation {
    /// Returns the parts of the messages that are printed.
    func parts(onTerminal isTerminal: Bool) -> MessageParts {
        if let parts = output.parts { return download.isRequested ? parts.subtracting(.responseBody) : parts }
        let parts: MessageParts =
            if output.verbosity > 1 {
                [.requestHead, .requestBody, .responseHead, .responseBody, .meta]
            } else if output.verbosity == 1 {
                [.requestHead, .requestBody, .responseHead, .responseBody]
            } else if request.isOffline {
                [.requestHead, .requestBody]
            } else {
                isTerminal ? [.responseHead, .responseBody] : .responseBody
            }
        return download.isRequested ? parts.subtracting(.responseBody) : parts
    }
}

/// Parts of the request and the response.
struct MessageParts: OptionSet, Sendable {
    let rawValue: UInt8

    static let requestHead = MessageParts(rawValue: 1)
    static let requestBody = MessageParts(rawValue: 2)
    static let responseHead = MessageParts(rawValue: 4)
    static let responseBody = MessageParts(rawValue: 8)
    static let meta = MessageParts(rawValue: 16)

    private static let letters: [Character: MessageParts] = [
        "H": .requestHead, "B": .requestBody, "h": .responseHead, "b": .responseBody, "m": .meta,
    ]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reads the letters of `--print`.
    init(letters text: String) throws(UsageError) {
        self = []
        for letter in text {
            guard let part = Self.letters[letter] else {
                throw UsageError("--print: there is no part “\(letter)”; the parts are H, B, h, b and m.")
            }
            insert(part)
        }
    }
}
