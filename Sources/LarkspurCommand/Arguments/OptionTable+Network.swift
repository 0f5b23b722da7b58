import HTTPSyntax
import Larkspur

/// The options for redirects and connections.
extension OptionTable {
    static let network: [Option] = [
        Option("follow", letter: "F", .network, "Follows redirects.", .flag { $0.network.followsRedirects = true }),
        Option(
            "max-redirects",
            .network,
            "The number of redirects that are followed. Default: 30.",
            .value("NUMBER") { (invocation, text) throws(UsageError) in
                invocation.network.maximumRedirects = try Option.number(text, of: "max-redirects", from: 0)
            }
        ),
        Option(
            "timeout",
            .network,
            "The time without a byte. Default: no limit.",
            .value("SECONDS") { (invocation, text) throws(UsageError) in
                invocation.network.timeout = try Option.seconds(text, of: "timeout")
            }
        ),
        Option(
            "verify",
            .network,
            "yes, no, or a file of trusted certificates.",
            .value("HOW", choices: ["yes", "no"]) { $0.network.verification = Invocation.Verification($1) }
        ),
        Option(
            "cert",
            .network,
            "The client's certificate, in PEM.",
            .value("FILE") { $0.network.certificateFile = $1 }
        ),
        Option("cert-key", .network, "The key of the certificate, in PEM.", .value("FILE") { $0.network.keyFile = $1 }),
        Option(
            "proxy",
            .network,
            "http:URL, https:URL, all:URL, or a URL.",
            secret: .userInformation,
            .value("PROXY") { $0.network.proxies.append($1) }
        ),
        Option(
            "resolve",
            .network,
            "HOST:PORT:ADDRESS[,ADDRESS]: where to connect.",
            .value("ENTRY") { (invocation, text) throws(UsageError) in
                invocation.network.hostAddresses.append(try HostEntry(text))
            }
        ),
        Option(
            "interface",
            .network,
            "The network interface or address to connect from.",
            .value("NAME") { (invocation, text) throws(UsageError) in
                guard !text.isEmpty else { throw UsageError("--interface: a name or an address is needed.") }
                invocation.network.localAddress = text
            }
        ),
        Option(
            "ipv4",
            letter: "4",
            .network,
            "Connects only to IPv4 addresses.",
            .flag { $0.network.family = .ipv4 }
        ),
        Option(
            "ipv6",
            letter: "6",
            .network,
            "Connects only to IPv6 addresses.",
            .flag { $0.network.family = .ipv6 }
        ),
        Option(
            "unix-socket",
            .network,
            "Connects to a Unix-domain socket in place of hosts.",
            .value("FILE") { (invocation, text) throws(UsageError) in
                guard !text.isEmpty else { throw UsageError("--unix-socket: the path of a socket is needed.") }
                invocation.network.unixSocket = text
            }
        ),
        Option(
            "public-only",
            .network,
            "Connects only to public addresses, and never through a proxy.",
            .flag { $0.network.isPublicOnly = true }
        ),
        Option(
            "http-version",
            .network,
            "The highest version of HTTP. Default: 2.",
            .value("VERSION", choices: Invocation.HTTPVersion.allCases.map(\.rawValue)) {
                (invocation, text) throws(UsageError) in
                invocation.network.httpVersion = try Option.choice(text, of: "http-version")
            }
        ),
        Option(
            "check-status",
            .network,
            "Exits with 3, 4 or 5 for a status of that class.",
            .flag { $0.network.checksStatus = true }
        ),
    ]
}

extension Invocation.Verification {
    init(_ text: String) {
        switch text.lowercased() {
        case "yes", "true": self = .system
        case "no", "false": self = .off
        default: self = .file(text)
        }
    }
}
