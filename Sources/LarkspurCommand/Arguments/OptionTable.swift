import HTTPSyntax
import Larkspur

/// The table of all options.
enum OptionTable {
    static let all: [Option] = request + output + download + credentials + network + streams + program

    private static let request: [Option] = [
        Option(
            "json",
            letter: "j",
            .request,
            "Data is JSON (the default); asks for JSON too.",
            .flag { $0.request.contentKind = .json }
        ),
        Option(
            "form",
            letter: "f",
            .request,
            "Data is a form; with a file a multipart form.",
            .flag { $0.request.contentKind = .form }
        ),
        Option("multipart", .request, "Data is a multipart form.", .flag { $0.request.contentKind = .multipart }),
        Option("boundary", .request, "The boundary of a multipart form.", .value("TEXT") { $0.request.boundary = $1 }),
        Option("raw", .request, "The body of the request.", .value("TEXT") { $0.request.raw = $1 }),
        Option(
            "compress",
            letter: "x",
            .request,
            "Compresses the body with gzip if that helps.",
            .flag { $0.request.compression = .gzip }
        ),
        Option(
            "compress-zstd",
            .request,
            "Compresses the body with zstd if that helps.",
            .flag { $0.request.compression = .zstd }
        ),
        Option(
            "chunked",
            .request,
            "Sends the body in chunks, without its length.",
            .flag { $0.request.isChunked = true }
        ),
        Option(
            "ignore-stdin",
            letter: "I",
            .request,
            "Does not read the body from standard input.",
            .flag { $0.request.ignoresStandardInput = true }
        ),
        Option(
            "default-scheme",
            .request,
            "The scheme of a URL without one. Default: http.",
            .value("SCHEME", choices: ["http", "https"]) { $0.request.defaultScheme = $1 }
        ),
        Option("offline", .request, "Prints the request, and does not send it.", .flag { $0.request.isOffline = true }),
        Option(
            "curl",
            .request,
            "Prints the command for curl; sends nothing, unless with -v.",
            .flag { $0.request.showsCurlCommand = true }
        ),
    ]

    private static let output: [Option] = [
        Option(
            "print",
            letter: "p",
            .output,
            "H B request head, body; h b response head, body; m times.",
            .value("PARTS") { (invocation, text) throws(UsageError) in
                invocation.output.parts = try MessageParts(letters: text)
            }
        ),
        Option(
            "headers",
            letter: "h",
            .output,
            "Prints the response's head: --print=h.",
            .flag { $0.output.parts = .responseHead }
        ),
        Option(
            "body",
            letter: "b",
            .output,
            "Prints the response's body: --print=b.",
            .flag { $0.output.parts = .responseBody }
        ),
        Option(
            "meta",
            letter: "m",
            .output,
            "Prints the time that it took: --print=m.",
            .flag { $0.output.parts = .meta }
        ),
        Option(
            "verbose",
            letter: "v",
            .output,
            "Prints request and response; -vv the time too.",
            .flag { $0.output.verbosity += 1 }
        ),
        Option("quiet", letter: "q", .output, "Prints only errors.", .flag { $0.output.isQuiet = true }),
        Option(
            "pretty",
            .output,
            "Colours and formats. Default: all on a terminal, else none.",
            .value("HOW", choices: Invocation.Prettiness.allCases.map(\.rawValue)) {
                (invocation, text) throws(UsageError) in
                invocation.output.prettiness = try Option.choice(text, of: "pretty")
            }
        ),
        Option(
            "stream",
            letter: "S",
            .output,
            "Prints the body as it arrives, also JSON.",
            .flag { $0.output.isStreaming = true }
        ),
        Option(
            "response-charset",
            .output,
            "The charset of the body, on a terminal.",
            .value("NAME") { (invocation, text) throws(UsageError) in
                guard let charset = Charset(named: text) else {
                    throw UsageError("--response-charset: “\(text)” is no charset that can be decoded.")
                }
                invocation.output.responseCharset = charset.name
            }
        ),
        Option("output", letter: "o", .output, "Writes to a file.", .value("FILE") { $0.output.file = $1 }),
        Option(
            "timings",
            .output,
            "Prints a table of the phases of each request.",
            .flag { $0.output.showsTimings = true }
        ),
        Option(
            "har",
            .output,
            "Records requests and responses in a file.",
            .value("FILE") { $0.output.archiveFile = $1 }
        ),
    ]

    private static let download: [Option] = [
        Option(
            "download",
            letter: "d",
            .download,
            "Writes the body to a file, with progress.",
            .flag { $0.download.isRequested = true }
        ),
        Option(
            "continue",
            letter: "c",
            .download,
            "Continues the file of --output.",
            .flag { $0.download.continues = true }
        ),
    ]

    private static let credentials: [Option] = [
        Option(
            "session",
            .credentials,
            "Keeps cookies, fields and credentials in a file.",
            .value("NAME") { $0.credentials.session = $1 }
        ),
        Option(
            "session-read-only",
            .credentials,
            "Uses a session and does not change it.",
            .value("NAME") {
                $0.credentials.session = $1
                $0.credentials.isSessionReadOnly = true
            }
        ),
        Option(
            "auth",
            letter: "a",
            .credentials,
            "USER:PASSWORD, USER, or a token.",
            secret: .all,
            .value("TEXT") { $0.credentials.text = $1 }
        ),
        Option(
            "auth-type",
            letter: "A",
            .credentials,
            "The scheme of --auth. Default: basic.",
            .value("SCHEME", choices: Invocation.AuthenticationScheme.allCases.map(\.rawValue)) {
                (invocation, text) throws(UsageError) in
                invocation.credentials.scheme = try Option.choice(text, of: "auth-type")
            }
        ),
        Option(
            "ignore-netrc",
            .credentials,
            "Does not read credentials from ~/.netrc.",
            .flag { $0.credentials.ignoresNetrc = true }
        ),
        Option(
            "aws-sigv4",
            .credentials,
            "Signs for AWS with KEY:SECRET of --auth: aws:amz:REGION:SERVICE.",
            .value("TEXT") { (invocation, text) throws(UsageError) in
                invocation.credentials.signing = try AWSSigning(text)
            }
        ),
    ]

    private static let streams: [Option] = [
        Option(
            "retry",
            .streams,
            "Repeats after temporary failures; POST only with Idempotency-Key.",
            .value("NUMBER") { (invocation, text) throws(UsageError) in
                invocation.streams.retries = try Option.number(text, of: "retry", from: 0)
            }
        ),
        Option(
            "retry-delay",
            .streams,
            "The time between repetitions. Default: grows from 1.",
            .value("SECONDS") { (invocation, text) throws(UsageError) in
                invocation.streams.retryDelay = try Option.seconds(text, of: "retry-delay")
            }
        ),
        Option(
            "retry-max-time",
            .streams,
            "The time for all repetitions. Default: no limit.",
            .value("SECONDS") { (invocation, text) throws(UsageError) in
                invocation.streams.retryTime = try Option.seconds(text, of: "retry-max-time")
            }
        ),
        Option(
            "repeat",
            .streams,
            "Sends the request so often, and prints latencies.",
            .value("NUMBER") { (invocation, text) throws(UsageError) in
                invocation.streams.repetitions = try Option.number(text, of: "repeat", from: 1)
            }
        ),
        Option(
            "parallel",
            .streams,
            "The number of requests at once. Default: 1.",
            .value("NUMBER") { (invocation, text) throws(UsageError) in
                invocation.streams.parallelism = try Option.number(text, of: "parallel", from: 1)
            }
        ),
        Option(
            "events",
            .streams,
            "Receives server-sent events, and connects again.",
            .flag { $0.streams.receivesEvents = true }
        ),
    ]

    private static let program: [Option] = [
        Option("help", .program, "Prints this help.", .flag { $0.mode = .help }),
        Option("version", .program, "Prints the version.", .flag { $0.mode = .version }),
        Option(
            "completion",
            .program,
            "Prints a completion script.",
            .value("SHELL", choices: Invocation.Shell.allCases.map(\.rawValue)) {
                (invocation, text) throws(UsageError) in
                invocation.mode = .completion(try Option.choice(text, of: "completion"))
            }
        ),
        Option(
            "install-completion",
            .program,
            "Installs a completion script for the user.",
            .value("SHELL", choices: Invocation.Shell.allCases.map(\.rawValue)) {
                (invocation, text) throws(UsageError) in
                invocation.mode = .installation(try Option.choice(text, of: "install-completion"))
            }
        ),
        Option(
            "ignore-config",
            .program,
            "Ignores the default options of the config file.",
            .flag { $0.ignoresConfiguration = true }
        ),
    ]
}
