import HTTPSyntax

/// Options of curl that have other names in this program, as in HTTPie.
enum CurlOptions {
    /// The names of curl's options, each with its equivalent in this program.
    static let hints: [String: String] = Dictionary(
        uniqueKeysWithValues: table.flatMap { names, hint in names.map { ($0, hint) } }
    )

    private static let table: [([String], String)] = [
        (["-L", "--location"], "--follow or -F"),
        (["-k", "--insecure"], "--verify=no"),
        (["-u", "--user"], "--auth=USER:PASSWORD or -a USER:PASSWORD"),
        (["-X", "--request"], "the method before the URL: larkspur PUT URL"),
        (["-H", "--header"], "the field behind the URL: larkspur URL Name:Value"),
        (["-i", "--include", "--show-headers"], "--print=hb"),
        (["--head"], "the method before the URL: larkspur HEAD URL"),
        (["-s", "--silent"], "--quiet or -q"),
        (["--data", "--data-raw", "--data-binary", "--data-ascii"], "--raw=TEXT, or items behind the URL: name=value"),
        (["--data-urlencode"], "--form, and items behind the URL: name=value"),
        (["-G", "--get"], "items behind the URL: name==value"),
        (["-T", "--upload-file"], "the file behind the URL: larkspur PUT URL @FILE"),
        (["--user-agent"], "the field behind the URL: larkspur URL User-Agent:TEXT"),
        (["-e", "--referer"], "the field behind the URL: larkspur URL Referer:TEXT"),
        (["--cookie"], "the field behind the URL: larkspur URL Cookie:name=value"),
        (["-n", "--netrc", "--netrc-optional"], "nothing, as ~/.netrc is read without an option"),
        (["--netrc-file"], "NETRC=FILE before larkspur"),
        (["--oauth2-bearer"], "--auth-type=bearer --auth=TOKEN"), (["--digest"], "--auth-type=digest"),
        (["--cacert"], "--verify=FILE"), (["-E"], "--cert=FILE"), (["--key"], "--cert-key=FILE"),
        (["--max-time", "--connect-timeout"], "--timeout=SECONDS"), (["--max-redirs"], "--max-redirects=NUMBER"),
        (["--http1.1"], "--http-version=1.1"), (["--http2"], "--http-version=2"), (["--http3"], "--http-version=3"),
        (["--retry-connrefused"], "--retry, which repeats refused connections too"), (["--fail"], "--check-status"),
        (["--remote-name", "-O"], "--download or -d"),
        (["--write-out", "-w"], "--timings or --meta"), (["--compressed"], "nothing, as content is decoded"),
    ]
}
