public import Foundation
public import Larkspur

/// A client of the API of a bookshelf: typed calls, retries, tokens that are refreshed, pages, and errors of the API.
///
///     let shelf = Shelf(url, token: token, clientID: "reader")
///     let book = try await shelf.book(7)
///
/// Copy it, and replace the types and calls by those of your API.
public struct Shelf: Sendable {
    private let manager: SessionManager

    /// Creates a client.
    /// - Parameters:
    ///   - url: The base URL of the API.
    ///   - token: The credential of the user.
    ///   - clientID: The identifier of this program at the token endpoint.
    ///   - clock: The clock of the delays between attempts; tests pass their own. Default: the continuous clock.
    ///   - didRefresh: Called with each new credential, so that it can be stored. Default: none.
    public init(
        _ url: URL,
        token: OAuth2Credential,
        clientID: String,
        clock: any Clock<Duration> = ContinuousClock(),
        didRefresh: (@Sendable (OAuth2Credential) async -> Void)? = nil
    ) {
        manager = SessionManager(baseURL: url, configuration: .ephemeral)
        manager.clock = clock
        manager.timeouts = Timeouts(total: .seconds(60), response: .seconds(20))
        manager.jsonDecoder.keyDecodingStrategy = .convertFromSnakeCase
        manager.jsonEncoder.keyEncodingStrategy = .convertToSnakeCase
        var authenticator = OAuth2Authenticator(
            tokenEndpoint: url.appendingPathComponent("token"),
            clientID: clientID,
            manager: manager
        )
        authenticator.didRefresh = didRefresh
        manager.interceptors.call = [.retry(), .authentication(token, authenticator: authenticator, for: url)]
    }

    /// Returns a book.
    /// - Parameter id: The number of the book.
    /// - Throws: ``ShelfError``.
    public func book(_ id: Int) async throws(ShelfError) -> Book {
        try await value(of: manager.get(.path("books/\(id)")))
    }

    /// Adds a book, once even if the call is repeated after a failure.
    /// - Parameter draft: The new book.
    /// - Returns: The book with its number.
    /// - Throws: ``ShelfError``.
    public func add(_ draft: BookDraft) async throws(ShelfError) -> Book {
        try await value(of: manager.post("books", body: .json(draft), headers: ["Idempotency-Key": UUID().uuidString]))
    }

    /// Removes a book.
    /// - Parameter id: The number of the book.
    /// - Throws: ``ShelfError``.
    public func removeBook(_ id: Int) async throws(ShelfError) {
        let _: Empty = try await value(of: manager.delete(.path("books/\(id)")))
    }

    /// Returns all books, which are requested page by page as the loop takes them.
    /// - Parameter author: The author of the books; nil for all. Default: nil.
    public func books(by author: String? = nil) -> Pages<[Book]> {
        manager.pages("books", parameters: author.map { ["author": $0] }, as: [Book].self, by: .links)
    }

    /// Decodes the response of a call, and turns its failure into an error of this API.
    private func value<T: Decodable & Sendable>(of call: DataTask) async throws(ShelfError) -> T {
        do throws(LarkspurError) {
            return try await call.value(as: T.self)
        } catch {
            throw ShelfError(error)
        }
    }
}
