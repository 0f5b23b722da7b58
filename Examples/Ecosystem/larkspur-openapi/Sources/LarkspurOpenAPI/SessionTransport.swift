public import Foundation
public import HTTPTypes
internal import HTTPTypesFoundation
public import Larkspur
internal import LarkspurHTTPTypes

/// A transport of OpenAPI clients that sends requests through a session manager, with its headers, interceptors and
/// timeouts.
///
/// Content is sent as it is produced, and delivered as it arrives, both at the same time if the server does so. About
/// 1 MiB is buffered in each direction.
public struct SessionTransport: ClientTransport {
    private let manager: SessionManager

    /// Creates a transport.
    /// - Parameter manager: The session manager. Its base URL is not used.
    public init(_ manager: SessionManager) { self.manager = manager }

    /// Sends a request. The content of the request is iterated while it is sent.
    ///
    /// Content that can be iterated once cannot be sent again, as a redirect, a challenge or a retry require: the error
    /// is then `bodyUnreadable`.
    /// - Returns: The response of any status, when its head has arrived, and its content, which can be iterated once.
    ///   Releasing the content cancels the call. There is no content if the head says so.
    /// - Throws: `LarkspurError`, if the request cannot be sent or no response arrives. If the content of the request
    ///   throws an error, the code is `bodyUnreadable`, and the error is the `underlyingError`.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        baseURL: URL,
        operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?) {
        let content = body.map { RequestBody.content($0, type: request.headerFields[.contentType]) }
        let (response, chunks) = try await manager.open(request.resolved(against: baseURL), body: content)
        guard response.mayHaveContent(after: request.method) else {
            // The call ends with the end of its empty content.
            for try await _ in chunks {}
            return (response, nil)
        }
        let slices = chunks.map { ArraySlice($0) }
        return (response, HTTPBody(slices, length: response.contentLength, iterationBehavior: .single))
    }
}

extension RequestBody {
    /// Returns a body that iterates the content of an OpenAPI client while it is sent.
    fileprivate static func content(_ body: HTTPBody, type: String?) -> Self {
        let length: Int64? = if case .known(let count) = body.length { count } else { nil }
        let type = type ?? "application/octet-stream"
        return switch body.iterationBehavior {
        case .single: .sequence(body, length: length, contentType: type)
        case .multiple: .sequence(length: length, contentType: type) { body }
        }
    }
}

extension HTTPResponse {
    /// Returns whether content may follow the head (RFC 9110, section 6.4.1).
    fileprivate func mayHaveContent(after method: HTTPRequest.Method) -> Bool {
        method != .head && status.code != 204 && status.code != 304 && contentLength != .known(0)
    }

    /// The number of bytes of the content. The field is that of the content as it was sent, with its coding.
    fileprivate var contentLength: HTTPBody.Length {
        guard headerFields[.contentEncoding] == nil, let length = headerFields[.contentLength].flatMap({ Int64($0) })
        else { return .unknown }
        return .known(length)
    }
}

extension HTTPRequest {
    /// Returns the request for a server, below the path of its URL.
    fileprivate func resolved(against baseURL: URL) -> HTTPRequest {
        let base = HTTPRequest(url: baseURL)
        var result = self
        result.scheme = base.scheme
        result.authority = base.authority
        let prefix = base.path ?? ""
        result.path = (prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix) + (path ?? "")
        return result
    }
}
