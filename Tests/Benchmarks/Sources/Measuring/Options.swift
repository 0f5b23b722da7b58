/// What one run of a client's program measures: its command line, `--name value …`.
package struct Options: Sendable {
    /// What is done with each response, or with each session.
    package enum Workload: String, Sendable {
        /// GET; the content is counted.
        case get
        /// GET; the content is decoded as an ``Item``.
        case value
        /// GET; the content is decoded as an array of ``Item``.
        case items
        /// POST of 1 KiB of JSON, which is prepared; the content of the response is counted.
        case post
        /// The same, with a value that is encoded for each request.
        case encodedPost = "encoded-post"
        /// GET of all pages of a site, each once; the links of the pages lead from one to the others.
        case crawl
        /// GET; the content is counted as it arrives, and not kept.
        case discard
        /// As `discard`, with a consumer that sleeps.
        case slow
        /// GET; the content is written to a file.
        case download
        /// PUT of a file.
        case upload
        /// PUT of a sequence of chunks, whose number of bytes is not announced.
        case uploadSequence = "upload-sequence"
        /// The same, with a sequence that sleeps.
        case slowUploadSequence = "upload-sequence-slow"
        /// The same, with a sequence that has the same chunk again and again.
        case repeatedUploadSequence = "upload-sequence-same-chunk"
        /// As many sessions as there are requests, each used once.
        case sessions
        /// The same, and all of them stay until the last one was used.
        case sessionsAlive = "sessions-alive"

        /// Whether a sequence is uploaded.
        package var uploadsSequence: Bool {
            self == .uploadSequence || self == .slowUploadSequence || self == .repeatedUploadSequence
        }
    }

    package private(set) var client = ""
    package private(set) var workload = Workload.get
    package private(set) var target = Target(url: "")
    /// Requested before the measurement begins, to open connections; by default the same as `target`.
    package private(set) var warmUpTarget: Target?
    package private(set) var warmUpRequests = 0
    /// The file that is uploaded.
    package private(set) var file = ""
    package private(set) var requests = Int.max
    /// No request begins after that time.
    package private(set) var seconds: Double?
    package private(set) var inFlight = 1
    package private(set) var connections = 1
    /// The responses that stay open during the measurement.
    package private(set) var idleTarget: Target?
    package private(set) var idleStreams = 0
    /// The WebSockets that stay open during the measurement; of their program only.
    package private(set) var webSockets = 0

    /// Reads the arguments of the process; ends it if they make no sense.
    package init() {
        var arguments = CommandLine.arguments.dropFirst()
        while let name = arguments.popFirst() {
            guard let value = arguments.popFirst(), set(name, to: value) else {
                end("Cannot read the argument \(name).")
            }
        }
        if target.url.isEmpty { end("--url is missing.") }
    }

    private mutating func set(_ name: String, to value: String) -> Bool {
        switch name {
        case "--client": client = value
        case "--workload": return replace(\.workload, with: Workload(rawValue: value))
        case "--url": target.url = value
        case "--content-length": return replace(\.target.contentLength, with: Int(value).map(Optional.some))
        case "--warm-up-url": warmUpTarget = Target(url: value)
        case "--file": file = value
        case "--warm-up": return replace(\.warmUpRequests, with: Int(value))
        case "--requests": return replace(\.requests, with: Int(value))
        case "--seconds": return replace(\.seconds, with: Double(value).map(Optional.some))
        case "--in-flight": return replace(\.inFlight, with: Int(value))
        case "--connections": return replace(\.connections, with: Int(value))
        case "--idle-url": idleTarget = Target(url: value, staysOpen: true)
        case "--idle-streams": return replace(\.idleStreams, with: Int(value))
        case "--websockets": return replace(\.webSockets, with: Int(value))
        case "--buffer-size": return Int(value) != nil  // of the C library's program only
        default: return false
        }
        return true
    }

    private mutating func replace<Value>(_ path: WritableKeyPath<Options, Value>, with value: Value?) -> Bool {
        guard let value else { return false }
        self[keyPath: path] = value
        return true
    }
}
