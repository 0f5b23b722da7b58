import Foundation
import FoundationNetworking
import HTTPSyntax
import JSONSyntax

@testable import Larkspur
@testable import LarkspurImages
@testable import LarkspurTesting
@testable import LarkspurTransport

/// The formats of files and of stored data: JSON, cassettes, the cache, resume data, images.
extension FuzzTarget {
    static let formats = [
        json, cassettes, recordedBodies, cacheFiles, cacheEntries, resumeData, resumeDecisions, uploadResumptions,
        images,
        imagePixels, redactedTexts, redaction, storeRecords,
    ]

    private static let json = FuzzTarget("json", measured: { _ = try? JSONNode($0) }) { bytes in
        let node = try? JSONNode(bytes)
        let isAccepted = JSONScanner.accepts(bytes)
        if node != nil { require(isAccepted, "the scanner accepts what is read") }
        // Halves of surrogate pairs and invalid UTF-8 are the only texts that the scanner leaves to the reader.
        if isAccepted, node == nil {
            require(
                String(validating: bytes, as: UTF8.self) == nil || bytes.contains(UInt8(ascii: "u")),
                "what the scanner accepts is read"
            )
        }
        guard let node else { return }
        require((try? JSONNode(node.compact)) == node, "a value is read as it was written on one line")
        var pretty: [UInt8] = []
        node.write(to: &pretty, indentation: 2)
        require((try? JSONNode(pretty)) == node, "a value is read as it was written on many lines")
        let canonical = node.canonical
        require((try? JSONNode(canonical))?.canonical, equals: canonical, "the canonical form of it is the same")
        require(node.compact.count <= bytes.count * 6 + 6, "a value is not much longer than its text")
        guard let value = JSONValue(json: Data(bytes)) else { return }
        require(JSONValue(json: Data(node.compact)), equals: value, "the values are the same")
        // Foundation reads the same texts. Which of two members with the same name counts is not defined.
        guard let text = strings(in: node),
            let object = try? JSONSerialization.jsonObject(
                with: Data(bytes),
                options: .fragmentsAllowed
            )
        else { return }
        require(strings(in: object).sorted(), equals: text.sorted(), "the strings that Foundation reads")
    }

    /// Returns all strings and names of a value; nil if a name occurs twice in an object.
    private static func strings(in node: JSONNode) -> [String]? {
        var strings: [String] = []
        var nodes = [node]
        while let node = nodes.popLast() {
            switch node.kind {
            case .string(let text): strings.append(text)
            case .array(let elements): nodes += elements
            case .object(let members):
                guard Set(members.map(\.name)).count == members.count else { return nil }
                strings += members.map(\.name)
                nodes += members.map(\.value)
            default: break
            }
        }
        return strings
    }

    private static func strings(in object: Any) -> [String] {
        var strings: [String] = []
        var objects = [object]
        while let object = objects.popLast() {
            switch object {
            case let text as String: strings.append(text)
            case let elements as [Any]: objects += elements
            case let members as [String: Any]:
                strings += members.keys
                objects += members.values
            default: break
            }
        }
        return strings
    }

    // MARK: Cassettes

    private static let cassettes = FuzzTarget(
        "cassettes",
        measured: { _ = try? CassetteFile.read(Data($0), name: "x") },
        { bytes in
            guard let interactions = try? CassetteFile.read(Data(bytes), name: "x") else { return }
            let written = CassetteFile.write(interactions)
            guard let again = try? CassetteFile.read(written, name: "y") else {
                return require(false, "a cassette is read as it was written")
            }
            require(CassetteFile.write(again), equals: written, "a cassette is the same when it is written again")
            var records = CassetteRecords(interactions, .default)
            for interaction in interactions {
                _ = CassetteMatching.default.key(of: interaction.request)
                _ = interaction.response.fields(contentLength: interaction.response.body.content.count)
                require(records.next(for: interaction.request) != nil, "a request is found")
            }
        }
    )

    private static let recordedBodies = FuzzTarget("recorded-bodies") { bytes in
        let content = Data(bytes)
        for type in ["application/json", "text/plain", "image/png", nil] {
            let body = RecordedBody(content, type: type)
            let interaction = Interaction(
                request: .init(method: "POST", url: "http://a/", headers: [], body: body),
                response: .init(status: 200, headers: [], body: body)
            )
            guard let read = try? CassetteFile.read(CassetteFile.write([interaction]), name: "x").first else {
                return require(false, "a content is read as it was written")
            }
            require(read.request.body.hash, equals: body.hash, "the hash of the content")
            if case .json = body { continue }
            require(read.response.body.content, equals: content, "the content")
        }
    }

    // MARK: The cache

    private static func check(_ entry: CacheEntry) {
        let again = CacheFile.decode(CacheFile.encode(entry))
        require(again?.encodedHead.count, equals: entry.encodedHead.count, "the length of an entry")
        require(again?.fields, equals: entry.fields, "the fields of an entry")
        require(again?.url, equals: entry.url, "the URL of an entry")
        require(again?.content, equals: entry.content, "the content of an entry")
        let varying = { (entry: CacheEntry?) in entry?.varying.map { [$0.name, $0.value ?? "", "\($0.value == nil)"] } }
        require(varying(again), equals: varying(entry), "the varying fields of an entry")
        require(CacheFile.sum(ofName: CacheFile.name(of: entry)) != nil, "the name of a file")
        for (name, value) in entry.conditions {
            require(!value.breaksLine && !value.isEmpty, "the condition \(name) is one line")
        }
        _ = (entry.directives, entry.date)
        _ = entry.cachedResponse(withMetadata: true)
    }

    private static let cacheFiles = FuzzTarget("cache-files") { bytes in
        if let entry = CacheFile.decode(Data(bytes)) { check(entry) }
        // The checksum keeps nearly all inputs away from the head, which is therefore tried directly, too.
        if let entry = CacheEntry(encodedHead: Data(bytes), content: Data("content".utf8)) { check(entry) }
        _ = CacheFile.sum(ofName: String(networkBytes: bytes))
    }

    private static let cacheEntries = FuzzTarget(unmeasured: "cache-entries") { bytes in
        var choices = Choices(bytes)
        var fields: [String: String] = [:]
        let names = [
            "Cache-Control", "Vary", "Etag", "Last-Modified", "Expires", "Date", "Age", "Content-Encoding", "X",
        ]
        let status = choices.element(of: [200, 203, 404, 410, 301, 500])
        while !choices.isAtEnd, fields.count < 9 {
            fields[choices.element(of: names)] = String(networkBytes: choices.bytes()).onOneLine
        }
        guard let url = URL(string: "http://a.example/b"),
            let response = EngineResponse.make(url: url, status: status, version: "HTTP/1.1", fields: fields),
            let entry = CacheEntry(
                response,
                content: Data("content".utf8),
                url: "http://a.example/b",
                request: CacheRequestFields(own: ["Accept": "*/*"]),
                now: Date(timeIntervalSince1970: 1_800_000_000)
            )
        else { return }
        check(entry)
    }

    // MARK: Downloads and uploads

    private static let resumeData = FuzzTarget(unmeasured: "resume-data") { bytes in
        check(resumeData: Data(bytes))
        // And as the values of valid data, because few inputs are JSON.
        let text = String(decoding: bytes, as: UTF8.self)
        let stored: [String: Any] = [
            "format": "Larkspur resume data", "version": 1, "url": "https://a.example/f", "entityTag": "\"x\"",
            "file": "/tmp/Larkspur-12-6E2F4F0C-3C0E-4A57-9B1D-2C4F1C3D5E6F.tmp", "received": 10, "date": 0,
            "fields": [String: String](),
        ]
        let changes: [[String: Any]] = [
            ["fields": ["Accept": text]], ["fields": [text: "a"]], ["entityTag": text],
            ["entityTag": NSNull(), "lastModified": text],
            ["entityTag": NSNull(), "lastModified": "Sun, 06 Nov 1994 08:49:37 GMT" + text],
            ["file": text], ["url": text],
        ]
        for change in changes {
            let changed = stored.merging(change) { $1 }
            if let data = try? JSONSerialization.data(withJSONObject: changed) { check(resumeData: data) }
        }
    }

    private static func check(resumeData data: Data) {
        guard let resume = ResumeData(data) else { return }
        guard let encoded = resume.encoded, let again = ResumeData(encoded) else {
            return require(false, "resume data is read as it was written")
        }
        require(again, equals: resume, "the resume data")
        require(resume.received > 0 && resume.received <= resume.total ?? .max, "the number of bytes is consistent")
        let request = resume.request
        require(request.url?.host?.isEmpty == false, "a request has a host")
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            require(ResumeData.mayHold(name) && name.isToken && !value.breaksLine, "the field \(name) may be sent")
        }
        require(!resume.validator.field.breaksLine, "the validator is one line")
    }

    private static let resumeDecisions = FuzzTarget("resume-decisions") { bytes in
        var choices = Choices(bytes)
        var reply = ResumeDecision.Reply(status: choices.element(of: [206, 416, 200, 404, 503, 412]))
        let offset = abs(choices.integer() % 1_000_000)
        let total = choices.flag() ? offset + abs(choices.integer() % 1_000_000) : nil
        reply.contentLength = choices.flag() ? abs(choices.integer() % 1_000_000) : nil
        reply.entityTag = choices.element(of: ["\"a\"", "\"b\"", nil, "W/\"a\""])
        reply.lastModified = choices.element(of: [nil, "Sun, 06 Nov 1994 08:49:37 GMT"])
        reply.isCoded = choices.number(below: 8) == 7
        reply.hasManyParts = choices.number(below: 8) == 7
        reply.hasDoubtfulEnd = choices.number(below: 8) == 7
        // Half of the ranges follow from the offset, so that some of them fit.
        let last = offset + abs(choices.integer() % 1000)
        reply.contentRange =
            choices.flag()
            ? String(networkBytes: choices.rest) : "bytes \(offset)-\(last)/\(total.map(String.init) ?? "*")"
        let decision = ResumeDecision.decide(
            reply,
            offset: offset,
            total: total,
            validator: .entityTag("\"a\"")
        )
        switch decision {
        case .append(let end, let whole):
            require(reply.status == 206 && reply.entityTag == "\"a\"", "only the same version is appended")
            require(end > offset && end <= whole, "what is appended is inside")
            require(total == nil || total == whole, "the length stays")
            require(!reply.isCoded && !reply.hasManyParts && !reply.hasDoubtfulEnd, "only plain content is appended")
            if let length = reply.contentLength { require(length, equals: end - offset, "the length of the part") }
        case .askForLastByte(let whole): require(whole == offset && reply.status == 416, "the file may be complete")
        case .setAside: require(reply.status >= 400, "a response that is set aside is an error")
        case .startOver, .askAnew: break
        }
        _ = ResumeDecision.isWhole(reply)
    }

    private static let uploadResumptions = FuzzTarget(unmeasured: "upload-resumptions") { bytes in
        guard let resumption = try? JSONDecoder().decode(UploadResumption.self, from: Data(bytes)) else { return }
        require(resumption.offset >= 0 && resumption.offset <= resumption.length, "the offset is inside")
        let encoded = try? JSONEncoder().encode(resumption)
        let again = encoded.flatMap { try? JSONDecoder().decode(UploadResumption.self, from: $0) }
        require(again, equals: resumption, "a resumption is read as it was written")
        _ = "\(resumption)"
    }

    private static let storeRecords = FuzzTarget(
        "store-records",
        measured: { _ = StoreRecord(Data($0)) },
        { bytes in
            let data = Data(bytes)
            // Few inputs have the right checksum. So the input is also read behind one that is right.
            for file in [data, StoreRecord.withChecksum(data)] {
                guard let record = StoreRecord(file) else { continue }
                require(StoreRecord(record.encoded), equals: record, "a record is read as it was written")
                for start in [record.start, "other"] {
                    let now = StoreTime(start: start, uptime: 1 << 40, wall: 1 << 40)
                    _ = record.hasEnded(at: now)
                    require(record.age(at: now) >= 0, "no record is from the future")
                }
                require(StoreRecord(file.dropLast()) == nil, "an incomplete file is no record")
            }
        }
    )

    // MARK: Images

    private static let images = FuzzTarget("images") { bytes in
        let data = Data(bytes)
        let header = try? ImageHeader(data)
        if let header {
            require(header.width > 0 && header.height > 0, "an image has pixels")
            require(ImageFormat(data), equals: header.format, "the format is that of the first bytes")
        }
        // A truncated file is not taken for an image of another size.
        if let shorter = try? ImageHeader(data.dropLast()), let header {
            require(shorter.format, equals: header.format, "the format of a truncated file")
        }
    }

    private static let imagePixels = FuzzTarget(unmeasured: "image-pixels") { bytes in
        let data = Data(bytes)
        // Larger images take the time of the library, and not ours.
        guard let header = try? ImageHeader(data), header.pixelCount <= 1 << 16 else { return }
        guard let pixels = try? SystemImageDecoder().decode(data, header: header) else { return }
        require(pixels.width == header.width && pixels.height == header.height, "the size is that of the header")
    }

    // MARK: Redaction

    private static let types = [
        "application/json", "application/x-ndjson", "text/event-stream", "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=b", nil, "image/png", "application/json-seq",
    ]

    private static let redactedTexts = FuzzTarget(
        "redacted-texts",
        measured: { bytes in
            guard let first = bytes.first else { return }
            let type = types[Int(first) % types.count]
            _ = Redaction.standard.content(Data(bytes.dropFirst()), type: type)
        },
        { bytes in
            guard let first = bytes.first else { return }
            let type = types[Int(first) % types.count]
            let data = Data(bytes.dropFirst())
            let shown = Redaction.standard.content(data, type: type)
            require(shown.count <= data.count * 40 + 40, "redaction does not lengthen without bound")
            require(Redaction.none.content(data, type: type), equals: data, "the rule that hides nothing")
            let text = String(networkBytes: data)
            _ = Redaction.standard.text(text)
            _ = Redaction.standard.value(of: .init(name: "Location", value: text))
            if let url = URL(string: text) { _ = Redaction.standard.text(of: url) }
        }
    )

    private static let redaction = FuzzTarget(unmeasured: "redaction") { bytes in
        var builder = SecretBuilder(bytes)
        builder.check()
    }
}
