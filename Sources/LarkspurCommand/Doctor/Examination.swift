#if canImport(FoundationNetworking)
import HTTPSyntax
import Larkspur

/// The result of `larkspur doctor`: the libraries of the engine, and the parts of the environment that affect requests.
struct Examination {
    /// The parts of an `EngineReport` that are examined.
    struct Engine {
        var text: String
        var unavailabilityReason: String?
        var tlsLibrary: String?
        var authorities: String?
    }

    /// The lines of the report, without the problems.
    private(set) var lines: [String]
    /// The reasons, as sentences, why some or all requests are impossible.
    private(set) var problems: [String] = []

    init(_ report: EngineReport, environment: [String: String], families: [AddressFamily]) {
        self.init(
            Engine(
                text: report.description,
                unavailabilityReason: report.unavailabilityReason,
                tlsLibrary: report.tlsLibrary,
                authorities: report.authorities
            ),
            environment: environment,
            families: families
        )
    }

    /// - Parameter isWritable: Returns whether a file can be written or created.
    init(
        _ engine: Engine,
        environment: [String: String],
        families: [AddressFamily],
        isWritable: (String) -> Bool = Self.isWritable
    ) {
        lines = [engine.text]
        examine(engine)
        examine(environment, isWritable: isWritable)
        for (scheme, names) in Self.proxyVariables { examineProxy(of: scheme, names, environment) }
        examineExceptions(environment)
        examine(families)
    }

    /// The report as text. Long lines continue below their second column.
    var text: String {
        let lines =
            lines.flatMap { $0.parts(separatedBy: "\n").map(String.init) } + problems.map { "problem      \($0)" }
        return lines.map { TableText.wrapped($0, indent: 13) + "\n" }.joined()
    }

    private mutating func examine(_ engine: Engine) {
        if let reason = engine.unavailabilityReason {
            problems.append(reason)
        } else if engine.tlsLibrary == nil {
            problems.append("This libcurl has no TLS, so https requests are impossible.")
        } else if engine.authorities == nil {
            problems.append(
                "There are no certificate authorities, so https requests are impossible; install ca-certificates."
            )
        }
    }

    // MARK: Variables

    private mutating func examine(_ environment: [String: String], isWritable: (String) -> Bool) {
        if let path = environment["LARKSPUR_LIBCURL"], !path.isEmpty {
            lines.append("variable     LARKSPUR_LIBCURL names the libcurl: \(TerminalText.line(path))")
        }
        guard let path = environment["SSLKEYLOGFILE"], !path.isEmpty else {
            return lines.append("variable     SSLKEYLOGFILE is not set: no secrets of TLS are logged")
        }
        let text = TerminalText.line(path)
        lines.append(
            isWritable(path)
                ? "variable     SSLKEYLOGFILE: libcurl writes the secrets of all TLS connections to \(text)"
                : "variable     SSLKEYLOGFILE: \(text) cannot be written, so no secrets of TLS are logged"
        )
    }

    private static func isWritable(_ path: String) -> Bool {
        if access(path, F_OK) == 0 { return access(path, W_OK) == 0 }
        return access(URL(fileURLWithPath: path).deletingLastPathComponent().path, W_OK) == 0
    }

    // MARK: Proxies

    /// The variables for each scheme, in the order in which the engine reads them.
    private static let proxyVariables = [
        ("http", ["http_proxy", "all_proxy", "ALL_PROXY"]),
        ("https", ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
    ]

    private mutating func examineProxy(of scheme: String, _ names: [String], _ environment: [String: String]) {
        guard let name = names.first(where: { environment[$0] != nil }), let value = environment[name], !value.isEmpty
        else { return lines.append("proxy        \(scheme): none") }
        // The credentials of the proxy are not printed.
        guard let server = ProxyServer(value) else {
            lines.append("proxy        \(scheme): the variable \(name) names no proxy that can be used")
            return problems.append("The variable \(name) makes \(scheme) requests impossible.")
        }
        let host = server.host.contains(":") ? "[\(server.host)]" : server.host
        let place = TerminalText.line("\(server.kind)://\(host):\(server.port)")
        lines.append("proxy        \(scheme): \(place) (\(name))")
    }

    private mutating func examineExceptions(_ environment: [String: String]) {
        if let name = ["no_proxy", "NO_PROXY"].first(where: { environment[$0] != nil }), let text = environment[name] {
            lines.append("proxy        exceptions: \(TerminalText.line(text)) (\(name))")
        }
        if environment["HTTP_PROXY"] != nil { lines.append("proxy        HTTP_PROXY is ignored; write http_proxy") }
    }

    // MARK: Addresses

    private mutating func examine(_ families: [AddressFamily]) {
        for family in families {
            switch family.state {
            case .routed: lines.append("yes          \(family.name)")
            case .local:
                lines.append("no           \(family.name): only this machine can be reached, there is no route")
            case .unsupported: lines.append("no           \(family.name): the system does not have it")
            }
        }
        if families.allSatisfy({ $0.state == .unsupported }) {
            problems.append("The system has no internet addresses, so only Unix-domain sockets can be used.")
        }
    }
}
#endif
