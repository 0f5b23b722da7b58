import Foundation
import HTTPSyntax

@testable import Larkspur
@testable import LarkspurTesting
@testable import LarkspurTransport

/// The values of single fields.
extension FuzzTarget {
    static let values = [
        cacheControl, links, dates, disposition, fileNames, parameters, contentRange, byteRange, alternatives,
        strictTransport, digestField, mediaTypes, vary, uploadLimits, retryAfter, percentEncoding, forms, queries,
        secretNames, codingNames,
    ]

    private static let cacheControl = FuzzTarget(text: "cache-control", measured: { _ = CacheControl($0) }) { text in
        let read = CacheControl(text)
        let seconds = [
            read.maxAge, read.maxStale, read.minFresh, read.staleWhileRevalidate, read.staleIfError,
        ]
        for value in seconds.compactMap(\.self) {
            require((0...CacheControl.longest).contains(value), "a number of seconds has its limits")
        }
        require(CacheControl("x-fuzz=1, " + text), equals: read, "an unknown directive changes nothing")
        let upper = String(decoding: text.utf8.map { 0x61...0x7A ~= $0 ? $0 - 0x20 : $0 }, as: UTF8.self)
        require(CacheControl(upper), equals: read, "the case of letters does not matter")
        // A directive that restricts can be added, and never taken away.
        require(CacheControl("no-store, max-age=0, " + text).noStore, "no-store remains")
        require(CacheControl("no-store, max-age=0, " + text).maxAge, equals: 0, "the smaller age counts")
    }

    private static let links = FuzzTarget(text: "link", measured: { _ = LinkField($0) }) { text in
        let links = LinkField(text).links
        let more = LinkField("<https://a.example/>; rel=\"first other\", " + text).links
        require(more.first?.target, equals: "https://a.example/", "the target of the first link")
        require(more.first?.relations, equals: ["first", "other"], "the relations of the first link")
        require(Array(more.dropFirst()), equals: links, "the other links")
        for link in links {
            require(!link.target.contains(">"), "a target ends at its bracket")
            require(link.relations.allSatisfy { !$0.contains(" ") && !$0.isEmpty }, "relations are words")
        }
    }

    private static let dates = FuzzTarget(
        "dates",
        measured: { bytes in
            _ = HTTPDate.parse(bytes)
            _ = HTTPDate.parseStrictly(String(networkBytes: bytes))
        },
        { bytes in
            let text = String(networkBytes: bytes)
            let now = Date(timeIntervalSince1970: 1_800_000_000)
            for date in [HTTPDate.parse(bytes), HTTPDate.parseStrictly(text, now: now)].compactMap(\.self) {
                let written = HTTPDate.string(from: date)
                require(HTTPDate.parse(written), equals: date, "the date \(written) is read as it was written")
                if date.timeIntervalSince1970 < 253_402_300_800 {
                    require(HTTPDate.parseStrictly(written), equals: date, "\(written) is a date of HTTP")
                }
            }
            guard let date = HTTPDate.parseStrictly(text, now: now), text.utf8.count < 30, !text.contains("-") else {
                return
            }
            // A leap second is no date for cookies.
            if let lenient = HTTPDate.parse(text) { require(lenient, equals: date, "both readers agree") }
        }
    )

    private static let disposition = FuzzTarget(text: "content-disposition") { text in
        let field = DispositionField(text)
        if let field {
            require(field.type, equals: field.type.lowercased(), "the type is in lower case")
            require(field.fileName != "", "a name is not empty")
            require(DispositionField(text + ";"), equals: field, "a semicolon at the end changes nothing")
        }
        let name = SuggestedFilename(disposition: text, url: URL(string: "http://a.example/b%2Fc"))
        if let name { check(name) }
    }

    private static let fileNames = FuzzTarget(text: "file-names") { text in
        if let name = SuggestedFilename(text) { check(name) }
    }

    private static func check(_ name: SuggestedFilename) {
        let text = name.text
        require((1...255).contains(text.utf8.count), "a name has up to 255 bytes")
        require(!text.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7F }, "no byte is harmful")
        require(!text.hasPrefix(".") && !text.hasPrefix("-"), "the beginning is not that of an option")
        require(SuggestedFilename(text)?.text, equals: text, "the name of a name is the same")
    }

    private static let parameters = FuzzTarget(text: "parameters", measured: { _ = FieldParameters($0).values.count }) {
        text in
        let read = FieldParameters(text)
        let parts = FieldParameters.split(text, at: ";")
        require(parts.joined(separator: ";"), equals: text, "the parts of a text make the text")
        require(read.leading, equals: parts.first?.trimmingBlanks ?? "", "the leading part")
        require(read.values.count < parts.count + 1, "there are at most as many parameters as parts")
        // A quoted text is read as it was written.
        let quoted = "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        if !text.unicodeScalars.contains(where: { $0.properties.canonicalCombiningClass != .notReordered }),
            text.utf8.allSatisfy({ $0 < 0x80 })
        {
            require(FieldParameters("a; b=\(quoted)").values["b"], equals: text, "the value of a quoted string")
        }
    }

    private static let contentRange = FuzzTarget(text: "content-range") { text in
        guard let range = ContentRange(text) else { return }
        switch range {
        case .part(let first, let last, let total):
            require(first >= 0 && first <= last && last < total ?? .max, "the range is consistent")
            let written = "bytes \(first)-\(last)/\(total.map(String.init) ?? "*")"
            require(ContentRange(written), equals: range, "the range is read as it was written")
        case .unsatisfied(let total):
            require(total >= 0, "the length is not negative")
            require(ContentRange("bytes */\(total)"), equals: range, "the length is read as it was written")
        }
    }

    private static let byteRange = FuzzTarget(text: "range") { text in
        guard let range = ByteRange(text) else { return }
        for length in [0, 1, 10, Int.max] {
            guard let bounds = range.bounds(in: length) else { continue }
            require(bounds.lowerBound >= 0 && bounds.upperBound <= length && !bounds.isEmpty, "the bounds are inside")
        }
    }

    private static let alternatives = FuzzTarget(text: "alt-svc") { text in
        let origin = Origin(scheme: "https", host: "a.example", port: 443)
        if let announcement = HTTP3Announcement(text, of: origin) {
            require((0...HTTP3Announcement.longest).contains(announcement.lifetime), "the lifetime has its limits")
        }
        let first = HTTP3Announcement("h3=\":443\"; ma=7, " + text, of: origin)
        require(first?.lifetime, equals: 7, "the first announcement counts")
        require(HTTP3Announcement("h3=\":443\"", of: origin)?.lifetime, equals: 86_400, "the usual lifetime is a day")
    }

    private static let strictTransport = FuzzTarget(text: "strict-transport") { text in
        guard let field = StrictTransportField(text) else { return }
        require((0...StrictTransportField.longest).contains(field.maximumAge), "the time has its limits")
        let written = "max-age=\(field.maximumAge)" + (field.includesSubdomains ? "; includeSubDomains" : "")
        require(StrictTransportField(written), equals: field, "the field is read as it was written")
        require(StrictTransportField("; " + text + " ;"), equals: field, "empty directives change nothing")
        require(StrictTransportField(text + "; max-age=1") == nil, "no directive occurs twice")
    }

    private static let digestField = FuzzTarget(text: "digest-field") { text in
        guard let field = DigestField(text) else { return }
        let written = field.digests.map { "\($0)=:\($1.base64EncodedString()):" }.joined(separator: ", ")
        require(DigestField(written), equals: field, "the field is read as it was written")
        require(field.known.count <= 2, "two algorithms are known")
    }

    private static let mediaTypes = FuzzTarget(text: "media-types") { text in
        let type = MediaType(text)
        require(MediaType.essence(of: text).inLowercase, equals: MediaType.essence(of: text), "it is in lower case")
        if let type { require(!type.essence.isEmpty, "a type has a name") }
        let range = MediaRange(text)
        _ = range.matches("application/problem+json")
        require(MediaRange("*/*").matches("text/html"), "every type matches")
        if let charset = type?["charset"].flatMap(Charset.init(named:)) {
            _ = charset.decode(Data("a\u{E4}".utf8))
        }
    }

    private static let vary = FuzzTarget(text: "vary", measured: { _ = StoreDecision.names(in: $0) }) { text in
        guard let names = StoreDecision.names(in: text) else { return }
        require(names, equals: Set(names).sorted(), "the names are distinct and in order")
        require(names.allSatisfy { $0.isToken && $0 == $0.lowercased() && $0 != "*" }, "the names are tokens")
        require(StoreDecision.names(in: names.joined(separator: ",")), equals: names, "the names are read again")
    }

    private static let uploadLimits = FuzzTarget(text: "upload-limits") { text in
        if let limits = UploadLimits(text) {
            for limit in [limits.maximumSize, limits.minimumAppendSize, limits.maximumAppendSize] {
                require(limit ?? 0 >= 0, "a limit is not negative")
            }
        }
        if let number = UploadState.number(text) { require(number >= 0, "a number is not negative") }
        let base = URL(string: "https://a.example/b")
        if let resource = try? UploadState.resource(text, from: base, base: base, nil) {
            require(resource.scheme?.lowercased(), equals: "https", "the resource of an upload keeps https")
            require(resource.user == nil && resource.password == nil, "the server chooses no credentials")
            require(resource.host?.isEmpty == false, "the resource has a host")
        }
    }

    private static let retryAfter = FuzzTarget(text: "retry-after") { text in
        guard let url = URL(string: "http://a.example/"),
            let response = EngineResponse.make(
                url: url,
                status: 503,
                version: "HTTP/1.1",
                fields: ["Retry-After": text, "Date": "Sun, 06 Nov 1994 08:49:37 GMT"]
            )
        else { return }
        require(response.statusCode, equals: 503, "the status")
        _ = UploadState.number(response.value(forHTTPHeaderField: "Retry-After") ?? "")
    }

    private static let percentEncoding = FuzzTarget("percent-encoding") { bytes in
        let text = String(networkBytes: bytes)
        let escaped = PercentEncoding.escapingAll(text, unless: PercentEncoding.isUnescaped)
        require(escaped.percentDecoded(), equals: text, "what is escaped is decoded")
        require(escaped.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "what is escaped is visible ASCII")
        let query = PercentEncoding.escapingIllegalQueryCharacters(text)
        require(PercentEncoding.escapingIllegalQueryCharacters(query), equals: query, "no escape is escaped again")
        require(query.percentDecodedBytes(), equals: text.percentDecodedBytes(), "the query means the same")
        require(text.percentDecodedBytes(plusIsSpace: true).count <= text.utf8.count, "decoding never lengthens")
    }

    private static let forms = FuzzTarget(text: "forms") { text in
        for item in FormDecoding.items(of: text) { _ = item.value }
        let name = QueryEncoder.percentEscaped(text)
        let items = FormDecoding.items(of: "\(name)=\(name)&b=1")
        guard !text.isEmpty else { return }
        require(items.first?.name, equals: text, "a name is read as it was written")
        require(items.first?.value, equals: text, "a value is read as it was written")
        require(items.last?.value, equals: "1", "the next value")
    }

    private static let queries = FuzzTarget("queries") { bytes in
        var choices = Choices(bytes)
        var values: [String: String] = [:]
        while !choices.isAtEnd, values.count < 20 { values["k" + choices.text()] = choices.text() }
        guard let query = try? QueryEncoder().encode(.dictionary(values)) else { return }
        let items = FormDecoding.items(of: query)
        require(items.count, equals: values.count, "there is a pair for each value")
        for item in items { require(item.value, equals: values[item.name], "the value of \(item.name)") }
    }

    private static let secretNames = FuzzTarget(text: "secret-names") { text in
        let matches = SecretName.matches(text)
        require(
            SecretName.matches(text.uppercased().lowercased()) || !matches || text.contains { $0.isUppercase },
            "a name in lower case is found, too"
        )
        require(SecretName.matches("x-\(text)-token"), "a token is a secret, whatever its name is")
        require(SecretName.matches("\(text) password"), "a password is a secret, whatever its name is")
    }

    private static let codingNames = FuzzTarget(text: "coding-names") { text in
        let names = ContentCoding.names(in: text)
        require(names.allSatisfy { !$0.isEmpty && !$0.contains(",") }, "names are not empty")
        let codings = ContentCoding.list(names)
        if let codings { require(codings.count, equals: names.count, "each name is a coding") }
        let decoder = ContentDecoder(contentEncoding: text, maximumExpansion: 100)
        require(decoder == nil || !names.isEmpty, "there is no decoder without a coding")
    }
}
