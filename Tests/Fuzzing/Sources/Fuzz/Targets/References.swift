import Foundation
import FoundationNetworking
import HTTPSyntax

@testable import Larkspur
@testable import LarkspurTransport

/// URLs, references, and what is decided by them.
extension FuzzTarget {
    static let references = [
        urlReferences, redirects, targets, hostNames, proxies, hosts, baseURLs, readings, pathValues, dataURLs,
        hstsNames, hstsFiles,
    ]

    private static let urlReferences = FuzzTarget(
        text: "url-references",
        measured: { text in
            let base = URLReference("http://a.example/b/c")
            _ = URLReference(text).percentEncoded.resolved(against: base).text
        },
        { text in
            let reference = URLReference(text)
            require(reference.text, equals: text, "the parts make the text")
            for base in ["http://a.example/b/c?d#e", "https://a.example", "http://u@[::1]:80/"].map({ URLReference($0) }
            ) {
                let target = reference.percentEncoded.resolved(against: base)
                require(target.scheme != nil, "a target has a scheme")
                let resource = target.path + (target.query ?? "") + (target.fragment ?? "")
                require(resource.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a resource is visible ASCII")
                require(target.percentEncoded, equals: target, "no escape is escaped again")
                let segments = target.path.split(separator: "/", omittingEmptySubsequences: false)
                if target.path.hasPrefix("/") {
                    require(!segments.contains { $0 == "." || $0 == ".." }, "no segment is a dot")
                }
                if let expected = slowPath(reference.percentEncoded, base) {
                    require(target.path, equals: expected, "the path of the target")
                }
                // An absolute target does not depend on its base.
                if URLReference(target.text) == target {
                    let again = target.resolved(against: URLReference("ftp://other/"))
                    require(again.text, equals: target.text, "an absolute target stays the same")
                }
            }
        }
    )

    /// Returns the path of a relative reference, resolved by the algorithm of RFC 3986, section 5.2.4; nil for other
    /// references.
    private static func slowPath(_ reference: URLReference, _ base: URLReference) -> String? {
        guard reference.scheme == nil, reference.authority == nil, !reference.path.isEmpty else { return nil }
        let folder = base.path.lastIndex(of: "/").map { String(base.path[...$0]) } ?? "/"
        var input = Array((reference.path.utf8.first == UInt8(ascii: "/") ? "" : folder).utf8) + reference.path.utf8
        var output: [UInt8] = []
        while !input.isEmpty {
            if input.starts(with: "/./".utf8) {
                input.removeFirst(2)
            } else if input.elementsEqual("/.".utf8) {
                input = Array("/".utf8)
            } else if input.starts(with: "/../".utf8) || input.elementsEqual("/..".utf8) {
                input = input.count == 3 ? Array("/".utf8) : Array(input.dropFirst(3))
                output = output.lastIndex(of: UInt8(ascii: "/")).map { Array(output[..<$0]) } ?? []
            } else {
                let next = input.dropFirst().firstIndex(of: UInt8(ascii: "/")) ?? input.endIndex
                output += input[..<next]
                input = Array(input[next...])
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static let sources = [
        "https://a.example/b/c?d", "http://a.example:8080/", "https://user:password@b.example/",
        "http+unix://%2Ftmp%2Fs/",
    ].compactMap { URL(string: $0) }

    private static let redirects = FuzzTarget(unmeasured: "redirects") { bytes in
        var choices = Choices(bytes)
        let source = choices.element(of: sources)
        let status = choices.element(of: [301, 302, 303, 307, 308, 300, 304, 200])
        var request = URLRequest(url: source)
        request.httpMethod = choices.element(of: ["GET", "POST", "HEAD", "PUT"])
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        request.setValue("a=secret", forHTTPHeaderField: "Cookie")
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data("body".utf8)
        let location = String(networkBytes: choices.rest)
        let decision = RedirectDecision.decide(status: status, location: location, request: request)
        guard case .follow(let next, let keepsBody) = decision, let url = next.url else { return }
        require([301, 302, 303, 307, 308].contains(status), "the status is that of a redirect")
        let isHTTP = url.scheme?.lowercased() == "http" || url.scheme?.lowercased() == "https"
        if isHTTP { require(url.host?.isEmpty == false, "a target has a host") }
        if status >= 307 { require(next.httpMethod, equals: request.httpMethod, "the method stays") }
        if next.httpMethod != request.httpMethod {
            require(!keepsBody && next.httpBody == nil, "another method has no content")
            require(next.value(forHTTPHeaderField: "Content-Type") == nil, "another method has no type")
        }
        // Foundation and the engine may read an authority differently; the secret stays if both agree.
        let stays = isHTTP && Origin(url) == Origin(source)
        if isHTTP, source.scheme != "http+unix", !stays {
            require(next.value(forHTTPHeaderField: "Authorization") == nil, "credentials leave their origin for \(url)")
            require(next.value(forHTTPHeaderField: "Cookie") == nil, "cookies leave their origin for \(url)")
        }
        let refusal = RedirectDecision.refusal(of: next, after: request, allowsInsecureTarget: false)
        if source.scheme == "https", url.scheme?.lowercased() != "https" {
            require(refusal != nil, "https does not lead to \(url)")
        }
        if url.scheme?.lowercased() == "http+unix", source.scheme != "http+unix" {
            require(refusal != nil, "a server does not lead to a socket")
        }
    }

    private static let targets = FuzzTarget(unmeasured: "request-targets") { bytes in
        guard let url = URL(string: String(networkBytes: bytes)) else { return }
        if let target = try? CurlURL(url) {
            require(target.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a target is visible ASCII")
            require(!target.text.utf8.contains(UInt8(ascii: "#")), "a target has no fragment")
            let rest = target.text.dropFirst(target.text.hasPrefix("https") ? 8 : 7)
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            require(!authority.contains("@"), "a target has no user")
        }
        if let secured = url.secured {
            require(secured.scheme, equals: "https", "a secured URL has https")
            require(secured.path, equals: url.path, "a secured URL has the same path")
        }
        if let redirected = try? BaseURL.resolve(url.absoluteString, against: nil) {
            require(redirected.scheme != nil, "a resolved URL has a scheme")
        }
    }

    private static let hostNames = FuzzTarget(text: "host-names") { text in
        for host in [try? CanonicalHost(inURL: text), try? CanonicalHost(named: text)].compactMap(\.self) {
            require(try? CanonicalHost(inURL: host.urlText), equals: host, "the form of a canonical host is the same")
            require(try? CanonicalHost(named: host.plainText), equals: host, "the form of a canonical host is the same")
            require(host.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x25 }, "a name is visible ASCII")
            require(host.name, equals: host.name.lowercased(), "a name is in lower case")
            require(!host.name.contains(".."), "no label is empty")
            require(host.address == nil || IPAddress(host.name) == host.address, "an address has its notation")
            let url = URL(string: "http://\(host.urlText)/", encodingInvalidCharacters: false)
            require(url.flatMap { try? CanonicalHost(of: $0) }, equals: host, "a URL can have the host")
        }
        _ = IPAddress(text)
    }

    private static let proxies = FuzzTarget(text: "proxies") { text in
        if let proxy = ProxyServer(text) {
            require(proxy.isValid, "a proxy can be used")
            require((1...65535).contains(proxy.port), "a port has its limits")
            require(!proxy.curlName.utf8.contains { $0 <= 0x20 || $0 == 0x7F }, "a name has no control characters")
            if let password = proxy.password, password.utf8.count > 8, !proxy.curlName.contains(password),
                !(proxy.user ?? "").contains(password)
            {
                require(!"\(proxy)".contains(password), "the description has no password")
            }
        }
        if let exception = HostException(text), let host = try? CanonicalHost(named: "www.a.example") {
            _ = exception.matches(host, port: 80)
        }
        let environment = ["http_proxy": text, "no_proxy": text]
        let settings = ProxySettings(.automatic, dictionary: nil) { environment[$0] }
        if let url = URL(string: "http://a.example/"), let proxy = try? settings.proxy(for: url) {
            require(proxy.isValid, "a chosen proxy can be used")
        }
        let everything = ProxySettings(.automatic, dictionary: nil) { name in
            ["http_proxy": "http://p:1", "no_proxy": text + ",*"][name]
        }
        if let url = URL(string: "http://a.example/") {
            require(everything.isDirect || (try? everything.proxy(for: url)) == .some(nil), "no host needs a proxy")
        }
    }

    private static let hosts = FuzzTarget("host-addresses") { bytes in
        var choices = Choices(bytes)
        let port = choices.number(below: 200) * 400
        let host = HostAddress(host: choices.text(), port: 1, addresses: []).canonicalHost?.plainText ?? ""
        let addresses = (0..<choices.number(below: 4)).map { _ in choices.text() }
        guard let line = HostAddress(host: host, port: port, addresses: addresses).curlLine else { return }
        require(line.hasPrefix("\(host):\(port):"), "a line names the host")
        require(!line.utf8.contains { $0 <= 0x20 || $0 == 0x7F }, "a line has no blanks")
    }

    private static let baseURLs = FuzzTarget(unmeasured: "base-urls") { bytes in
        let text = String(networkBytes: bytes)
        let base = URL(string: "https://a.example/api/?x=1")
        guard let url = try? BaseURL.resolve(text, against: base) else { return }
        require(url.scheme != nil, "a URL has a scheme")
        let isHTTP = ["http", "https"].contains(url.scheme?.lowercased())
        if isHTTP { require((try? CanonicalHost(of: url)) != nil, "a URL has a host") }
        require(try? BaseURL.resolve(url.absoluteString, against: nil), equals: url, "no escape is escaped again")
    }

    /// The reading of strings: what was read is a URL, and does not change if it is read again.
    private static let readings = FuzzTarget(unmeasured: "url-readings") { bytes in
        guard let reference = try? URLReference(reading: String(networkBytes: bytes)) else { return }
        require(reference.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a URL is visible ASCII")
        require(try? URLReference(reading: reference.text), equals: reference, "no escape is escaped again")
    }

    /// Values in paths: a parser finds the segments that went in, and no value chooses another origin.
    private static let pathValues = FuzzTarget(
        "path-values",
        measured: { bytes in
            let text = String(networkBytes: bytes)
            let parts = text.parts(separatedBy: ",", omittingEmptyParts: false).map { String($0) }
            _ = try? URITemplate(text).expanded(["x": .text("value")]).checked()
            _ = try? URITemplate("{+x}{/x*}{?x*}").expanded(["x": .list(parts)]).checked()
            var reference = AssembledReference()
            for part in parts {
                reference.append(literal: part)
                reference.append(value: PercentEncoding.escapingAll(part) { $0 > 0x20 }, mayBeEmpty: true)
            }
            _ = try? reference.checked()
        },
        { bytes in
            var choices = Choices(bytes)
            let values = (0..<3).map { _ in choices.text() }
            checkSegments(values)
            let texts = [choices.text(), choices.text(), String(networkBytes: choices.rest)]
            checkInterpolation(texts, values)
            checkTemplate(texts.joined(separator: "{+b}"), values)
            checkTemplate(texts[0], values)
        }
    )

    private static let valueBase = URL(string: "https://a.example/v1/")

    /// Returns the URL of a target; nil if a value, or the text, is refused.
    private static func reference(_ target: PathTarget) -> URLReference? {
        do throws(LarkspurError) {
            return URLReference(try target.requestURL(relativeTo: valueBase).absoluteString)
        } catch {
            require(error.code, equals: .invalidURL, "the code of an error")
            return nil
        }
    }

    private static func interpolation(_ texts: [String], _ values: [String]) -> PathTarget {
        var path = PathTarget.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        for (index, text) in texts.enumerated() {
            path.appendLiteral(text)
            if index < values.count { path.appendInterpolation(values[index]) }
        }
        return PathTarget(stringInterpolation: path)
    }

    /// Checks both forms around a fixed text: a value that may be in its place is found again, and only there.
    private static func checkSegments(_ values: [String]) {
        let dots = [".", ".."]
        let path = [values[0], "q-" + values[1] + ".json"]
        let target = interpolation(["p/", "/q-", ".json?q=", "#f"], values)
        let isRefused = dots.contains(values[0]) || values[0].isEmpty || values[1].isEmpty
        check(target, path, query: "q=" + values[2], isRefused)
        let named: [String: Any?] = ["a": values[0], "b": values[1], "c": values[2], "list": values]
        let single: PathTarget = .template("p/{a}/q-{b}.json{?q:1,c}{#f}", named.merging(["f": "f"]) { $1 })
        check(single, path, query: "c=" + values[2], dots.contains(values[0]))
        let list: PathTarget = .template("p{/list*}?q#f", named)
        check(list, values, query: "q", !Set(values).isDisjoint(with: dots))
        guard let reserved = reference(.template("p/{+a}/q", named)) else { return }
        require(reserved.path.hasPrefix("/v1/p/"), "a reserved expansion stays in its folder")
        let segments = reserved.path.split(separator: "/").map { String($0).percentDecoded() }
        require(!segments.contains { dots.contains($0) }, "a reserved expansion makes no dot segment")
    }

    private static func check(_ target: PathTarget, _ path: [String], query: String, _ isRefused: Bool) {
        guard let reference = reference(target) else { return require(isRefused, "\(path) is refused") }
        require(!isRefused, "\(path) is not refused")
        require(reference.scheme == "https" && reference.authority == "a.example", "the origin stays")
        let segments = reference.path.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        require(segments.map { $0.percentDecoded() }, equals: ["", "v1", "p"] + path, "the segments")
        require(reference.query?.percentDecoded(), equals: query, "the query")
        require(reference.fragment, equals: "f", "the fragment")
        let components = URLComponents(string: reference.text)
        let names = components?.percentEncodedPath.components(separatedBy: "/")
        require(names, equals: segments, "the segments that Foundation finds")
        require(components?.host, equals: "a.example", "the host that Foundation finds")
    }

    /// Checks that values lead where harmless values lead, whatever the text is.
    private static func checkInterpolation(_ texts: [String], _ values: [String]) {
        guard let target = reference(interpolation(texts, values)) else { return }
        guard let other = reference(interpolation(texts, values.map { _ in "x" })) else {
            // A control character at the end is removed; one before a value is an error.
            return require(texts.joined().utf8.contains { $0 < 0x20 }, "harmless values are refused")
        }
        require(target.scheme, equals: other.scheme, "the scheme")
        require(target.authority, equals: other.authority, "the authority")
        require(target.path.utf8.count { $0 == 0x2F }, equals: other.path.utf8.count { $0 == 0x2F }, "the slashes")
        require(target.query == nil, equals: other.query == nil, "whether there is a query")
        require(target.fragment == nil, equals: other.fragment == nil, "whether there is a fragment")
    }

    /// Checks that a template leads to the origin of the text before its first expression.
    private static func checkTemplate(_ template: String, _ values: [String]) {
        let named: [String: Any?] = ["a": values[0], "b": values[1], "c": values[2], "x": values]
        guard let target = reference(.template(template, named)) else { return }
        guard let start = reference(PathTarget(stringLiteral: String(template.before("{")))) else {
            return require(false, "the text before the first expression is refused")
        }
        require(target.scheme, equals: start.scheme, "the scheme")
        require(target.authority, equals: start.authority, "the authority")
    }

    /// The content of data URLs.
    private static let dataURLs = FuzzTarget(unmeasured: "data-urls") { bytes in
        let text = String(networkBytes: bytes)
        guard let url = try? DataURL("data:" + text) else { return }
        require(!url.essence.isEmpty && url.essence == url.essence.lowercased(), "a type is in lower case")
        require(url.content.count <= text.utf8.count, "content is not longer than its URL")
    }

    private static let hstsNames = FuzzTarget(unmeasured: "hsts-names") { bytes in
        let text = String(networkBytes: bytes)
        guard let name = HSTSName.canonical(text) else { return }
        require(name, equals: name.lowercased(), "a name is in lower case")
        require(IPAddress(name) == nil, "a name is no address")
        require(HSTSName.canonical(name), equals: name, "the form of a canonical name is the same")
        var hosts = HSTSHosts(capacity: 4)
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let entry = HSTSHosts.Entry(includesSubdomains: true, expirationDate: now.addingTimeInterval(1))
        hosts.insert(entry, for: name, at: now)
        require(hosts.contains(name, at: now) && hosts.contains("a." + name, at: now), "a host requires https")
        require(!hosts.contains(name, at: now.addingTimeInterval(1)), "a host expires")
        for suffix in 0..<8 { hosts.insert(entry, for: "\(suffix).example", at: now) }
        require(hosts.entries.count <= 4, "the hosts have their limit")
    }

    /// A file in memory, if the system has one.
    private static let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("fuzz-\(ProcessInfo.processInfo.processIdentifier)")

    private static let hstsFiles = FuzzTarget(unmeasured: "hsts-files") { bytes in
        _ = FileManager.default.createFile(atPath: file.path, contents: Data(bytes))
        defer { unlink(file.path) }
        guard let hosts = try? HSTSFile.read(file.path) else { return require(false, "the file can be read") }
        for (name, _) in hosts { require(HSTSName.canonical(name), equals: name, "a name of the file") }
        let entries = Dictionary(hosts.map { (TextKey($0.name), $0.1) }) { $1 }
        guard (try? HSTSFile.content(entries).write(to: file)) != nil, let again = try? HSTSFile.read(file.path) else {
            return require(false, "the file can be written and read again")
        }
        let read = Dictionary(again.map { (TextKey($0.name), $0.1) }) { $1 }
        require(read.count, equals: entries.count, "the number of hosts")
        for (name, entry) in entries {
            require(read[name]?.includesSubdomains, equals: entry.includesSubdomains, "the subdomains of \(name)")
            require(read[name]?.expirationDate, equals: entry.expirationDate, "the expiry of \(name)")
        }
    }
}
