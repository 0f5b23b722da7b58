import HTTPSyntax

/// The effect of an option of curl on a request.
enum CurlOption {
    case url, method, head, query, globOff, pathAsIs, field, cookie, user, bearer, userAgent, referrer
    case data, rawData, encodedData, json
    /// The option affects curl's output on a terminal, or requests what this library does anyway.
    case output, outputTo
    /// The option affects the connection or the handling of the response. It cannot be part of a request.
    case connection, connectionValue
    case unsupported, unsupportedValue

    var takesValue: Bool {
        switch self {
        case .head, .query, .globOff, .pathAsIs, .output, .connection, .unsupported: false
        default: true
        }
    }

    /// The options of curl 8.16 by their long names.
    static let long: [TextKey: CurlOption] = table(
        [
            .url: "url", .method: "request", .head: "head", .query: "get", .globOff: "globoff",
            .pathAsIs: "path-as-is", .field: "header", .cookie: "cookie", .user: "user",
            .bearer: "oauth2-bearer", .userAgent: "user-agent", .referrer: "referer",
            .data: "data data-ascii data-binary", .rawData: "data-raw", .encodedData: "data-urlencode", .json: "json",
            .output: """
            silent show-error verbose include no-buffer progress-bar progress-meter styled-output trace-time trace-ids
            compressed location basic disable tcp-nodelay
            """,
            .outputTo: "write-out stderr trace trace-ascii trace-config",
            .connection: """
            insecure http0.9 http1.0 http1.1 http2 http3 http3-only ipv4 ipv6 location-trusted tlsv1 tlsv1.0 tlsv1.1
            tlsv1.2 tlsv1.3 ssl ssl-reqd ssl-no-revoke ssl-revoke-best-effort ssl-allow-beast cert-status
            proxy-insecure proxytunnel proxy-anyauth proxy-basic proxy-digest proxy-negotiate proxy-ntlm netrc
            netrc-optional junk-session-cookies alpn keepalive sessionid tcp-fastopen post301 post302 post303
            retry-connrefused retry-all-errors haproxy-protocol ca-native doh-insecure false-start fail fail-with-body
            fail-early remote-name remote-name-all remote-header-name remote-time create-dirs raw tr-encoding parallel
            xattr http2-prior-knowledge
            """,
            .connectionValue: """
            proxy proxy-user proxy-header proxy-cacert preproxy noproxy socks4 socks4a socks5 socks5-hostname
            max-time connect-timeout speed-limit speed-time limit-rate retry retry-delay retry-max-time max-redirs
            cacert capath cert cert-type key key-type pass pinnedpubkey ciphers tls13-ciphers curves tls-max crlfile
            resolve connect-to interface local-port dns-servers dns-interface doh-url unix-socket
            abstract-unix-socket keepalive-time netrc-file alt-svc hsts engine expect100-timeout
            happy-eyeballs-timeout-ms haproxy-clientip output output-dir dump-header libcurl cookie-jar
            create-file-mode max-filesize parallel-max rate
            """,
            .unsupported: "digest ntlm negotiate anyauth next use-ascii append list-only crlf ntlm-wb progress",
            .unsupportedValue: """
            form form-string upload-file config request-target range continue-at time-cond aws-sigv4 variable
            expand-url expand-data etag-save etag-compare url-query quote form-escape
            """,
        ],
        prefix: "--"
    )

    /// The options by their letters.
    static let short: [TextKey: CurlOption] = table(
        [
            .method: "X", .head: "I", .query: "G", .globOff: "g", .field: "H", .cookie: "b", .user: "u",
            .userAgent: "A", .referrer: "e", .data: "d", .output: "s S v i N # L q", .outputTo: "w",
            .connection: "k 0 1 2 3 4 6 n j p f O J R Z", .connectionValue: "x U m y Y E o D c",
            .unsupported: ": a l B", .unsupportedValue: "F T K r C z Q",
        ],
        prefix: "-"
    )

    private static func table(_ names: [CurlOption: String], prefix: String) -> [TextKey: CurlOption] {
        var table: [TextKey: CurlOption] = [:]
        for (option, list) in names {
            for name in list.split(whereSeparator: \.isWhitespace) { table[prefix + name] = option }
        }
        return table
    }
}
