internal import HTTPSyntax

/// A path in which `{name}` stands for one segment and a final `*` for all remaining segments.
struct PathPattern: Sendable, Equatable {
    private enum Segment: Equatable {
        case literal(String)
        case placeholder(String)
    }

    private let segments: [Segment]
    private let matchesRest: Bool

    init(_ pattern: String) {
        var parts = pattern.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        matchesRest = parts.last == "*"
        if matchesRest { parts.removeLast() }
        segments = parts.map { part in
            part.hasPrefix("{") && part.hasSuffix("}")
                ? .placeholder(String(part.dropFirst().dropLast())) : .literal(part.percentDecoded())
        }
    }

    /// Returns the decoded segments for the placeholders; nil if the path does not match.
    ///
    /// - Parameter rawSegments: The segments of a path before decoding, so that an escaped slash does not separate
    ///   segments.
    func match(_ rawSegments: [Substring]) -> [String: String]? {
        guard matchesRest ? rawSegments.count >= segments.count : rawSegments.count == segments.count else {
            return nil
        }
        var parameters: [String: String] = [:]
        for (segment, raw) in zip(segments, rawSegments) {
            let value = raw.utf8.contains(UInt8(ascii: "%")) ? String(raw).percentDecoded() : String(raw)
            switch segment {
            case .literal(let literal): if value != literal { return nil }
            case .placeholder(let name):
                if value.isEmpty { return nil }
                parameters[name] = value
            }
        }
        if matchesRest {
            parameters["*"] = rawSegments.dropFirst(segments.count).joined(separator: "/").percentDecoded()
        }
        return parameters
    }
}
