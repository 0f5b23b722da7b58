// Calls as they are in libraries that take a URLSession: this module does not import LarkspurTransport, so the compiler
// takes FoundationNetworking's methods.

#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking

/// The async methods of FoundationNetworking's that a session cannot override.
public enum AsyncCall: String, CaseIterable, Sendable {
    case dataForRequest, dataFromURL, uploadData, uploadFile, downloadForRequest, downloadFromURL

    /// Calls the method and returns the content, which is that of the file for a download.
    /// - Parameter content: A file that an upload sends, from memory or from the file.
    public func send(
        _ request: URLRequest,
        content: URL,
        with session: URLSession,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        switch self {
        case .dataForRequest: return try await session.data(for: request, delegate: delegate)
        case .dataFromURL: return try await session.data(from: request.url ?? content, delegate: delegate)
        case .uploadData:
            return try await session.upload(for: request, from: Data(contentsOf: content), delegate: delegate)
        case .uploadFile: return try await session.upload(for: request, fromFile: content, delegate: delegate)
        case .downloadForRequest: return try Self.read(await session.download(for: request, delegate: delegate))
        case .downloadFromURL:
            return try Self.read(await session.download(from: request.url ?? content, delegate: delegate))
        }
    }

    /// Whether the method takes a request with its method, fields and content.
    public var takesRequest: Bool { self != .dataFromURL && self != .downloadFromURL }

    private static func read(_ download: (file: URL, response: URLResponse)) throws -> (Data, URLResponse) {
        defer { try? FileManager.default.removeItem(at: download.file) }
        return (try Data(contentsOf: download.file), download.response)
    }
}
#endif
