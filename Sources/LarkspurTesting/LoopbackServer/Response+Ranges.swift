internal import Foundation

/// The responses to range requests (RFC 9110, section 14).
extension LoopbackServer.Response {
    /// Returns the response for the request's `Range` field; unchanged if there is none or it may be ignored.
    func applyingRange(of request: RequestHead) -> Self {
        guard acceptsRanges, status == 200, let length = body.byteCount else { return self }
        var response = self
        if headers["Accept-Ranges"] == nil { response.headers.append("Accept-Ranges", "bytes") }
        guard request.method == "GET", isSame(as: request.fields["If-Range"]),
            let range = request.fields["Range"].flatMap({ ByteRange($0) })
        else { return response }

        if let bounds = range.bounds(in: length) {
            response.status = 206
            response.headers["Content-Range"] = "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(length)"
            response.body = body.sending(bounds)
        } else {
            response.status = 416
            response.headers["Content-Range"] = "bytes */\(length)"
            response.body = []
        }
        return response
    }

    /// Returns whether an `If-Range` matches the representation that the response would send (RFC 9110, section
    /// 13.1.5).
    private func isSame(as validator: String?) -> Bool {
        guard let validator else { return true }
        let isTag = validator.hasPrefix("\"") || validator.hasPrefix("W/")
        // A weak tag never matches, because its bytes may differ.
        return !validator.hasPrefix("W/") && validator == headers[isTag ? "ETag" : "Last-Modified"]
    }
}

extension [LoopbackServer.Response.Step] {
    /// Returns the steps with only those bytes that are within the bounds.
    fileprivate func sending(_ bounds: Range<Int>) -> [Element] {
        var position = 0
        return flattened.map { step in
            step.mapBytes { data in
                defer { position += data.count }
                let lower = Swift.min(Swift.max(bounds.lowerBound - position, 0), data.count)
                let upper = Swift.min(Swift.max(bounds.upperBound - position, 0), data.count)
                return data.dropFirst(lower).prefix(upper - lower)
            }
        }
    }

    /// The bytes of all steps together. Bytes that are repeated without end count once.
    var bytes: Data {
        flattened.reduce(into: Data()) { data, step in
            if case .bytes(let bytes) = step { data.append(bytes) }
        }
    }

    private var flattened: [Element] {
        flatMap { step -> [Element] in
            guard case .repeated(let steps, let times) = step else { return [step] }
            let once = steps.flattened
            return (0..<Swift.max(times ?? 1, 0)).flatMap { _ in once }
        }
    }
}
