internal import HTTPSyntax

/// The rule by which the next page of a list is requested.
///
/// ```swift
/// for try await users in manager.pages("users", as: [User].self, by: .links) {
///     print(users.count)
/// }
/// ```
public struct Pagination<Page: Sendable>: Sendable {
    /// The next page of a list.
    enum Next: Sendable {
        /// The URL of the next page. It may be relative to the URL of the current page.
        case url(String)
        /// Parameters for the query of the first request. They replace parameters of the query with the same names.
        case parameters([String: String])
    }

    /// The additional parameters of the first request.
    let first: [String: String]
    /// The closure that returns the next page from a page, its response and its number, which counts from 0. It returns
    /// nil after the last page.
    let next: @Sendable (Page, HTTPURLResponse?, Int) -> Next?

    /// The rule for lists with links: the next page is the target of the link with the relation type `next` in the
    /// `Link` field (RFC 8288).
    public static var links: Self {
        Self(first: [:]) { _, response, _ in
            response?.value(forHTTPHeaderField: "Link").flatMap { LinkField($0).target(of: "next") }.map(Next.url)
        }
    }

    /// Returns the rule for pages that contain the URL of the next page.
    /// - Parameter url: Returns the URL of the next page, which may be relative to the URL of the given page. Returns
    ///   nil or an empty string after the last page.
    public static func url(_ url: @escaping @Sendable (Page) -> String?) -> Self {
        Self(first: [:]) { page, _, _ in
            guard let url = url(page), !url.isEmpty else { return nil }
            return .url(url)
        }
    }

    /// Returns the rule for pages that contain a cursor, which is a parameter of the request for the next page.
    /// - Parameters:
    ///   - name: The name of the parameter.
    ///   - cursor: Returns the cursor of the next page; nil or an empty string after the last page.
    public static func cursor(_ name: String, _ cursor: @escaping @Sendable (Page) -> String?) -> Self {
        Self(first: [:]) { page, _, _ in
            guard let cursor = cursor(page), !cursor.isEmpty else { return nil }
            return .parameters([name: cursor])
        }
    }

    /// Returns the rule for numbered pages. The number is a parameter of the request.
    /// - Parameters:
    ///   - name: The name of the parameter. Default: `page`.
    ///   - start: The number of the first page. Default: 1.
    ///   - isLast: Returns whether a page is the last one, for example because it is empty.
    public static func number(
        _ name: String = "page",
        from start: Int = 1,
        until isLast: @escaping @Sendable (Page) -> Bool
    ) -> Self {
        Self(first: [name: String(start)]) { page, _, index in
            let (number, isTooLarge) = start.addingReportingOverflow(index + 1)
            return isLast(page) || isTooLarge ? nil : .parameters([name: String(number)])
        }
    }
}

/// The pages of a list. Each page is requested when the loop needs it.
///
/// If the program leaves the loop, no more pages are requested. Each new loop begins with the first page.
public struct Pages<Page: Decodable & Sendable>: AsyncSequence, Sendable {
    let manager: SessionManager
    let first: Result<URLRequest, LarkspurError>
    let options: CallOptions?
    let pagination: Pagination<Page>
    let decoder: JSONDecoder
    let limit: Int

    /// Creates an iterator, which begins with the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    /// An iterator over the pages of a list.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: Pages
        private var request: Result<URLRequest, LarkspurError>?
        private var index = 0
        private var seen: Set<URL> = []
        /// The request from which the next request is built. After a page at another origin, it contains no secrets.
        private var template: URLRequest?
        /// The options of the next request.
        private var options: CallOptions?

        init(pages: Pages) {
            self.pages = pages
            request = pages.first
            options = pages.options
        }

        /// Returns the next page; nil after the last page.
        /// - Throws: ``LarkspurError`` if the request of the page fails. The code is `malformedResponse` if the next
        ///   page has been returned before, or if the list has more pages than the limit.
        public mutating func next() async throws(LarkspurError) -> Page? { try await next(isolation: nil) }

        /// Returns the next page; nil after the last page.
        /// - Parameter actor: The actor on which the caller runs.
        /// - Throws: ``LarkspurError`` if the request of the page fails. The code is `malformedResponse` if the next
        ///   page has been returned before, or if the list has more pages than the limit.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(LarkspurError) -> Page? {
            guard let current = request.take() else { return nil }
            let request = try current.get()
            if let url = request.url { seen.insert(url) }
            let response = await pages.manager.dataTask(with: request, options: options)
                .response(as: .decodable(Page.self, decoder: pages.decoder))
            let page = try response.result.get()
            if let next = pages.pagination.next(page, response.httpResponse, index) {
                index += 1
                do throws(LarkspurError) {
                    self.request = .success(try following(next, response))
                } catch {
                    // The page that has arrived is returned before the error.
                    self.request = .failure(error)
                }
            }
            return page
        }

        private mutating func following(
            _ next: Pagination<Page>.Next,
            _ response: DataResponse<Page>
        ) throws(LarkspurError) -> URLRequest {
            let first = try pages.first.get()
            let (request, isElsewhere) = try pages.request(for: next, after: response, template: template ?? first)
            template = request
            if isElsewhere {
                // A credential of the call is for its origin, and this page is the request of another call.
                options = options ?? CallOptions()
                options?.credential = nil
                options?.isLedElsewhere = true
            }
            // Without this check, pages whose links form a circle would be requested up to the limit.
            guard index < pages.limit, let url = request.url, !seen.contains(url) else {
                throw LarkspurError(
                    .malformedResponse,
                    index < pages.limit
                        ? "The next page is one that was read already."
                        : "The list has more than \(pages.limit) pages.",
                    request: request,
                    response: response.response
                )
            }
            return request
        }
    }

    /// Builds the request of the next page, and returns whether it goes to another origin. Such a request gets no
    /// header fields that may hold secrets.
    private func request(
        for next: Pagination<Page>.Next,
        after response: DataResponse<Page>,
        template: URLRequest
    ) throws(LarkspurError) -> (request: URLRequest, isElsewhere: Bool) {
        var request = template
        switch next {
        case .url(let text):
            let url: URL
            do throws(LarkspurError) {
                url = try BaseURL.resolve(text, from: response.response?.url ?? request.url)
            } catch {
                throw LarkspurError(
                    .invalidURL,
                    "The next page has no valid URL. \(error.message)",
                    response: response.response
                )
            }
            // If HSTS requires https for the host, the pages are at the origin with https.
            let isSameServer =
                url.isSameServer(as: request.url)
                || url.isSameServer(as: request.url.flatMap(manager.sessions.secured))
            guard isSameServer || url.mayFollow(request.url) else {
                throw LarkspurError(
                    .insecureRequest,
                    "The next page is at a URL that a server may not lead to, as by a redirect.",
                    response: response.response,
                    failingURL: url
                )
            }
            request.url = url
            if !isSameServer { return (request.withoutSecrets, true) }
        case .parameters(let parameters):
            request.url = try first.get().settingQuery(parameters).url
        }
        return (request, false)
    }
}

@available(*, unavailable)
extension Pages.Iterator: Sendable {}

extension SessionManager {
    /// Returns the pages of a list as a sequence. Each page is requested when the loop needs it.
    ///
    /// The request of each page has the headers of the manager and of the call. A page at another origin gets only the
    /// fields without secrets: ``HTTPHeaders/default`` and `Accept`. It and the pages after it get neither the
    /// ``CallOptions/credential`` of the options, nor an entry of a netrc file, nor a signature. If the next page is at
    /// another origin, its URL must have the scheme https, as after a redirect. After a page with the scheme http, its
    /// URL may also have http. Otherwise the error is `insecureRequest`.
    /// - Parameters:
    ///   - url: The URL of the first page, or a reference that is resolved against ``baseURL``.
    ///   - parameters: Names and values of the query of the first page. With a pagination that sets parameters, they
    ///     are part of the queries of all pages. Default: none.
    ///   - headers: Fields of all requests. They replace fields of ``headers`` with the same name. Default: none.
    ///   - options: The settings of each request. Default: the settings of the manager.
    ///   - type: The type that ``jsonDecoder`` decodes each page into.
    ///   - pagination: The rule by which the next page is requested: `.links`, `.url`, `.cursor` or `.number`.
    ///   - limit: The maximum number of pages. If the list has more pages, the error is `malformedResponse`. Default:
    ///     10,000.
    /// - Returns: The pages. The first request is sent when the loop begins.
    public func pages<Page: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        as type: Page.Type,
        by pagination: Pagination<Page>,
        limit: Int = 10_000
    ) -> Pages<Page> {
        let draft = RequestDraft(.get, url, parameters, nil, headers)
        return Pages(
            manager: self,
            first: requestResult(draft.encoded(by: options)).map { $0.settingQuery(pagination.first) },
            options: options,
            pagination: pagination,
            decoder: jsonDecoder,
            limit: limit
        )
    }
}

extension URL {
    /// Returns whether the URL has the scheme, host and port of another URL, also for schemes other than http and
    /// https.
    fileprivate func isSameServer(as other: URL?) -> Bool {
        guard let other else { return false }
        if let origin = Origin(self) { return origin == Origin(other) }
        return scheme?.lowercased() == other.scheme?.lowercased() && host != nil && host == other.host
            && port == other.port
    }

    /// Returns whether a server may lead from another URL to this URL. A URL with the scheme https may follow any URL.
    /// A URL with http may follow only a URL with http.
    fileprivate func mayFollow(_ other: URL?) -> Bool {
        switch scheme?.lowercased() {
        case "https": true
        case "http": other?.scheme?.lowercased() == "http"
        default: false
        }
    }
}

extension URLRequest {
    /// Returns the request with parameters in its query. They replace parameters with the same names.
    fileprivate func settingQuery(_ parameters: [String: String]) -> URLRequest {
        guard !parameters.isEmpty, let url, var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return self }
        // The query is changed in its encoded form, so that its other parameters remain exactly as they are.
        let names = Set(texts: parameters.keys.map(QueryEncoder.percentEscaped))
        let others = (components.percentEncodedQuery ?? "").parts(separatedBy: "&").filter { pair in
            !names.contains(String(pair.before("=")))
        }
        let added = parameters.sorted { $0.key < $1.key }.map {
            "\(QueryEncoder.percentEscaped($0.key))=\(QueryEncoder.percentEscaped($0.value))"
        }
        components.percentEncodedQuery = (others.map(String.init) + added).joined(separator: "&")
        var request = self
        request.url = components.url
        return request
    }
}
