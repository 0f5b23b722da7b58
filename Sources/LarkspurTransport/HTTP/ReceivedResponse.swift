import HTTPSyntax
import Synchronization

/// The response of a transfer. Programs receive it as a `URLResponse`, which is created when it is first read, on any
/// thread.
package final class ReceivedResponse: Sendable {
    private enum Source {
        case object(URLResponse)
        #if canImport(FoundationNetworking)
        case head(ResponseHead, URL)
        #endif
    }

    /// The status code; nil if the response is not an HTTP response.
    package let statusCode: Int?
    private let source: Mutex<Source>

    private init(statusCode: Int?, _ source: sending Source) {
        self.statusCode = statusCode
        self.source = Mutex(source)
    }

    /// Wraps an existing response.
    package convenience init(_ object: URLResponse) {
        self.init(statusCode: (object as? HTTPURLResponse)?.statusCode, .object(object))
    }

    /// The response.
    package var object: URLResponse {
        source.withLock { source in
            switch source {
            case .object(let object): return object
            #if canImport(FoundationNetworking)
            case .head(let head, let url):
                let object =
                    head.makeResponse(url: url)
                    ?? URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
                source = .object(object)
                return object
            #endif
            }
        }
    }

    /// Whether the `URLResponse` has already been created.
    var isMade: Bool {
        source.withLock { if case .object = $0 { true } else { false } }
    }

    /// The response; nil if it is not an HTTP response.
    package var http: HTTPURLResponse? { object as? HTTPURLResponse }

    /// The media type of the Content-Type field. Nil on Apple platforms, where the caller has to read the field.
    /// `URLResponse.mimeType` cannot replace it, because Apple's platforms may derive that value from the content.
    package var typeOfField: String? {
        #if canImport(FoundationNetworking)
        source.withLock { source in
            switch source {
            case .object(let object): object.mimeType
            case .head(let head, _): EngineResponse.contentType(head.fields["Content-Type"]).mimeType
            }
        }
        #else
        nil
        #endif
    }
}

extension ReceivedResponse: Hashable {
    package static func == (left: ReceivedResponse, right: ReceivedResponse) -> Bool {
        left === right || left.object == right.object
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(object) }
}

#if canImport(FoundationNetworking)
extension ReceivedResponse {
    /// Creates the response for a head. Returns nil only if Foundation cannot create a response, which no version does.
    /// If ``EngineResponse`` is available, the result is never nil, because its `URLResponse` is created later.
    convenience init?(_ head: ResponseHead, url: URL) {
        if EngineResponse.isAvailable {
            self.init(statusCode: head.status, .head(head, url))
        } else if let object = head.makeResponse(url: url) {
            self.init(object)
        } else {
            return nil
        }
    }
}
#endif
