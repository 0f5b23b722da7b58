internal import Foundation
internal import HTTPSyntax
internal import JSONSyntax

/// A request and its response, as a cassette stores them: without secrets.
struct Interaction: Sendable {
    struct Request: Sendable {
        var method: String
        var url: String
        /// The fields in the order of their names.
        var headers: [Field]
        var body: RecordedBody
    }

    struct Response: Sendable {
        var status: Int
        /// The fields in the order of their names.
        var headers: [Field]
        var body: RecordedBody

        /// Returns the fields for a session. If the content is replayed in another form, `Content-Length` has the
        /// length of this form.
        func fields(contentLength: Int) -> [String: String] {
            var fields: [String: String] = [:]
            let isCoded = headers.contains { $0.name.lowercased() == "content-encoding" }
            for field in headers {
                let isLength = field.name.lowercased() == "content-length" && !isCoded && contentLength > 0
                fields[field.name] = isLength ? String(contentLength) : field.value
            }
            return fields
        }
    }

    struct Field: Sendable, Equatable {
        let name: String
        let value: String
    }

    let request: Request
    let response: Response
}

/// Content in the form that is best for a review: JSON, text, otherwise base64.
enum RecordedBody: Sendable {
    case none
    case json(JSONNode)
    case text(String)
    case bytes(Data)

    init(_ content: Data, type: String?) {
        guard !content.isEmpty else {
            self = .none
            return
        }
        let essence = type.map { FieldParameters($0).leading.lowercased() }
        let mayBeJSON = essence.map { $0 == "application/json" || $0.ends(with: "+json") } ?? true
        // A number or a string alone would not be easier to review as JSON, so it is stored as text.
        if mayBeJSON, let node = try? JSONNode(Array(content)),
            node.array != nil || node.members != nil
        {
            self = .json(node)
        } else if let text = String(validating: content, as: UTF8.self),
            !content.contains(where: { $0 < 0x20 && $0 != .tab && $0 != .lineFeed && $0 != .carriageReturn })
        {
            self = .text(text)
        } else {
            self = .bytes(content)
        }
    }

    /// The content. JSON is on one line.
    var content: Data {
        switch self {
        case .none: Data()
        case .json(let node): Data(node.compact)
        case .text(let text): Data(text.utf8)
        case .bytes(let bytes): bytes
        }
    }

    /// The hash for the comparison of bodies. The order of members in JSON does not count.
    var hash: String {
        let content = if case .json(let node) = self { Data(node.canonical) } else { content }
        return SHA256.hash(content).hexadecimal
    }

    /// The beginning of the content, for the text of an error.
    var excerpt: String {
        switch self {
        case .none: return "no content"
        case .bytes(let bytes): return "\(bytes.count) bytes"
        case .json, .text:
            let text = String(decoding: content.prefix(120), as: UTF8.self).onOneLine
            return content.count > 120 ? text + "…" : text
        }
    }
}

// MARK: - The file

/// The reading and writing of a cassette's file.
enum CassetteFile {
    /// The version of the format.
    static let version = 1
    private static let depth = 200

    /// The number of bytes that are collected before they are passed on.
    private static let chunkSize = 1 << 18

    /// Writes a file, one interaction after the other, so that at most one interaction is in memory twice.
    /// - Parameter take: Receives the next bytes of the file.
    static func write(_ interactions: [Interaction], _ take: ([UInt8]) throws -> Void) rethrows {
        var bytes = Array("{\n  \"larkspurCassette\": \(version),\n  \"interactions\": [".utf8)
        for (index, interaction) in interactions.enumerated() {
            if index > 0 { bytes += ",".utf8 }
            JSONNode.breakLine(4, in: &bytes)
            node(interaction).write(to: &bytes, indentation: 4)
            guard bytes.count >= chunkSize else { continue }
            try take(bytes)
            bytes.removeAll(keepingCapacity: bytes.capacity <= chunkSize * 2)
        }
        if !interactions.isEmpty { JSONNode.breakLine(2, in: &bytes) }
        try take(bytes + "]\n}\n".utf8)
    }

    /// Returns the content of a file.
    static func write(_ interactions: [Interaction]) -> Data {
        var data = Data()
        write(interactions) { data += $0 }
        return data
    }

    private static func node(_ interaction: Interaction) -> JSONNode {
        let (request, response) = (interaction.request, interaction.response)
        return .object([
            (
                "request",
                .object(
                    [
                        ("method", JSONNode(.string(request.method))), ("url", JSONNode(.string(request.url))),
                        ("headers", node(request.headers)),
                    ] + members(request.body)
                )
            ),
            (
                "response",
                .object(
                    [
                        ("status", JSONNode(.number(String(response.status)))),
                        ("headers", node(response.headers)),
                    ] + members(response.body)
                )
            ),
        ])
    }

    private static func node(_ fields: [Interaction.Field]) -> JSONNode {
        .object(fields.map { ($0.name, JSONNode(.string($0.value))) })
    }

    /// Returns the member for a body: `json`, `text`, `lines` for text of several lines, or `base64`.
    private static func members(_ body: RecordedBody) -> [(String, JSONNode)] {
        switch body {
        case .none: return []
        case .json(let node): return [("json", node)]
        case .text(let text):
            // The bytes are searched, because finding the ends of characters takes many times as long.
            guard text.utf8.contains(.lineFeed), !text.utf8.contains(.carriageReturn) else {
                return [("text", JSONNode(.string(text)))]
            }
            let lines = text.utf8.split(separator: .lineFeed, omittingEmptySubsequences: false)
            return [("lines", JSONNode(.array(lines.map { JSONNode(.string(String(Substring($0)))) })))]
        case .bytes(let bytes): return [("base64", JSONNode(.string(bytes.base64EncodedString())))]
        }
    }

    /// Reads a file.
    /// - Throws: ``CassetteError`` with the position in the file.
    static func read(_ data: Data, name: String) throws(CassetteError) -> [Interaction] {
        let bytes = Array(data)
        do throws(JSONFailure) {
            return try interactions(in: JSONNode(bytes, maximumDepth: depth))
        } catch {
            let before = bytes.prefix(error.offset)
            let line = before.count { $0 == .lineFeed } + 1
            let column = before.count - (before.lastIndex(of: .lineFeed).map { $0 + 1 } ?? 0) + 1
            throw CassetteError(
                "The cassette \(name) cannot be read: line \(line), column \(column): \(error.reason). "
                    + "It was left as it is."
            )
        }
    }

    private static func interactions(in root: JSONNode) throws(JSONFailure) -> [Interaction] {
        guard let version = root["larkspurCassette"] else {
            throw JSONFailure(
                reason: "the file is no cassette, as it has no member larkspurCassette",
                offset: root.offset
            )
        }
        guard version.integer == Self.version else {
            throw JSONFailure(
                reason: "the version of the format is not \(Self.version)",
                offset: version.offset
            )
        }
        var interactions: [Interaction] = []
        for node in try required("interactions", in: root, \.array, "an array") {
            let request = try required("request", in: node, { $0.members == nil ? nil : $0 }, "an object")
            let response = try required("response", in: node, { $0.members == nil ? nil : $0 }, "an object")
            let status = { (node: JSONNode) in node.integer.flatMap { 100...999 ~= $0 ? $0 : nil } }
            interactions.append(
                Interaction(
                    request: Interaction.Request(
                        method: try required("method", in: request, \.string, "a string"),
                        url: try required("url", in: request, \.string, "a string"),
                        headers: try fields(of: request),
                        body: try body(of: request)
                    ),
                    response: Interaction.Response(
                        status: try required("status", in: response, status, "a number from 100 to 999"),
                        headers: try fields(of: response),
                        body: try body(of: response)
                    )
                )
            )
        }
        return interactions
    }

    private static func required<Value>(
        _ name: String,
        in node: JSONNode,
        _ read: (JSONNode) -> Value?,
        _ kind: String
    ) throws(JSONFailure) -> Value {
        guard let member = node[name] else {
            throw JSONFailure(reason: "the member \(name) is missing", offset: node.offset)
        }
        guard let value = read(member) else {
            throw JSONFailure(reason: "the member \(name) is not \(kind)", offset: member.offset)
        }
        return value
    }

    private static func fields(of node: JSONNode) throws(JSONFailure) -> [Interaction.Field] {
        guard node["headers"] != nil else { return [] }
        var fields: [Interaction.Field] = []
        for member in try required("headers", in: node, \.members, "an object") {
            guard let value = member.value.string else {
                throw JSONFailure(reason: "the value of a field is not a string", offset: member.value.offset)
            }
            fields.append(Interaction.Field(name: member.name, value: value))
        }
        return fields
    }

    private static func body(of node: JSONNode) throws(JSONFailure) -> RecordedBody {
        if let value = node["json"] { return .json(value) }
        if node["text"] != nil { return .text(try required("text", in: node, \.string, "a string")) }
        if node["lines"] != nil {
            let lines = try required(
                "lines",
                in: node,
                { node in
                    let lines = node.array?.compactMap(\.string)
                    return lines?.count == node.array?.count ? lines : nil
                },
                "an array of strings"
            )
            return .text(lines.joined(separator: "\n"))
        }
        guard node["base64"] != nil else { return .none }
        return .bytes(
            try required("base64", in: node, { $0.string.flatMap { Data(base64Encoded: $0) } }, "a string of base64")
        )
    }
}

extension JSONNode {
    fileprivate static func object(_ members: [(String, JSONNode)]) -> JSONNode {
        JSONNode(.object(members.map { Member(name: $0.0, value: $0.1) }))
    }
}
