internal import HTTPSyntax

/// The way from one page of a list to the next.
///
/// ```swift
/// for try await users in manager.pages("users", as: [User].self, by: .links) {
///     print(users.count)
/// }
/// ```
public struct Pagination<Page: Sendable>: Sendable {
    /// The next page of a list.
    enum Next: Sendable {
        /// A URL, which may be relative to that of the page.
        case url(String)
        /// Parameters of the first request, with these in place of the same ones.
        case parameters([String: String])
    }

    /// The parameters that the first request has in addition.
    let first: [String: String]
    /// Returns the next page; nil after the last one. The number counts the pages from 0.
    let next: @Sendable (Page, HTTPURLResponse?, Int) -> Next?

    /// The next page is the link with the relation type `next` in the `Link` field (RFC 8288).
    public static var links: Self {
        Self(first: [:]) { _, response, _ in
            response?.value(forHTTPHeaderField: "Link").flatMap { LinkField($0).target(of: "next") }.map(Next.url)
        }
    }

    /// The next page is at a URL that a page contains.
    /// - Parameter url: Returns the URL, which may be relative to that of the page; nil or empty after the last page.
    public static func url(_ url: @escaping @Sendable (Page) -> String?) -> Self {
        Self(first: [:]) { page, _, _ in
            guard let url = url(page), !url.isEmpty else { return nil }
            return .url(url)
        }
    }

    /// The next page has a cursor as parameter, which the page before contains.
    /// - Parameters:
    ///   - name: The name of the parameter.
    ///   - cursor: Returns the cursor; nil or empty after the last page.
    public static func cursor(_ name: String, _ cursor: @escaping @Sendable (Page) -> String?) -> Self {
        Self(first: [:]) { page, _, _ in
            guard let cursor = cursor(page), !cursor.isEmpty else { return nil }
            return .parameters([name: cursor])
        }
    }

    /// The pages have numbers, which are a parameter.
    /// - Parameters:
    ///   - name: The name of the parameter. Default: `page`.
    ///   - start: The number of the first page. Default: 1.
    ///   - isLast: Returns whether a page is the last one, such as one that is empty.
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

/// The pages of a list, which are requested one after the other as the loop takes them.
///
/// Leaving the loop ends the requests. Each loop begins with the first page.
public struct Pages<Page: Decodable & Sendable>: AsyncSequence, Sendable {
    /// A page.
    public typealias Element = Page
    /// The error of a request.
    public typealias Failure = LarkspurError

    let manager: SessionManager
    let first: Result<URLRequest, LarkspurError>
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
        /// The request that those of the next pages are made from. After a page at another origin it has no secrets.
        private var template: URLRequest?

        init(pages: Pages) {
            self.pages = pages
            request = pages.first
        }

        /// Returns the next page; nil after the last one.
        /// - Throws: ``LarkspurError`` if the request of the page fails, or with the code `malformedResponse` if the
        ///   next page is one that was returned already, or there are more pages than the limit.
        public mutating func next() async throws(LarkspurError) -> Page? { try await next(isolation: nil) }

        /// Returns the next page; nil after the last one.
        /// - Parameter actor: The actor on which the caller runs.
        /// - Throws: ``LarkspurError`` if the request of the page fails, or with the code `malformedResponse` if the
        ///   next page is one that was returned already, or there are more pages than the limit.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(LarkspurError) -> Page? {
            guard let current = request.take() else { return nil }
            let request = try current.get()
            if let url = request.url { seen.insert(url) }
            let response = await pages.manager.dataTask(with: request)
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
            let request = try pages.request(for: next, after: response, template: template ?? first)
            template = request
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

    /// Builds the request of the next page. Another origin gets none of the header fields that may hold secrets.
    private func request(
        for next: Pagination<Page>.Next,
        after response: DataResponse<Page>,
        template: URLRequest
    ) throws(LarkspurError) -> URLRequest {
        var request = template
        switch next {
        case .url(let text):
            guard let url = URL(string: text, relativeTo: response.response?.url ?? request.url)?.absoluteURL else {
                throw LarkspurError(.invalidURL, "The next page has no valid URL.", response: response.response)
            }
            try BaseURL.validate(url)
            let isSameServer = url.isSameServer(as: request.url)
            guard isSameServer || url.mayFollow(request.url) else {
                throw LarkspurError(
                    .insecureRequest,
                    "The next page is at a URL that a server may not lead to, as by a redirect.",
                    response: response.response,
                    failingURL: url
                )
            }
            request.url = url
            if !isSameServer { return request.withoutSecrets }
        case .parameters(let parameters):
            guard let url = try first.get().url, var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
            else {
                throw LarkspurError(.invalidURL, "The URL of the list has no query.", request: request)
            }
            components.setQuery(parameters)
            request.url = components.url
        }
        return request
    }
}

@available(*, unavailable)
extension Pages.Iterator: Sendable {}

extension SessionManager {
    /// Requests the pages of a list, each as the loop takes it.
    ///
    /// The request of each page has the headers of the manager and of the call. A page at another origin gets only
    /// those without secrets: ``HTTPHeaders/default`` and `Accept`. A next page that a redirect could not lead to, with
    /// another scheme than http and https or with http after https, is the error `insecureRequest`.
    /// - Parameters:
    ///   - url: The URL of the first page, or a reference that is resolved against ``baseURL``.
    ///   - parameters: Names and values of the query of the first page, and of all pages if the pagination sets
    ///     parameters. Default: none.
    ///   - headers: Fields of all requests, which replace those of ``headers`` with the same name. Default: none.
    ///   - type: The type that ``jsonDecoder`` decodes each page into.
    ///   - pagination: The way from one page to the next: `.links`, `.url`, `.cursor` or `.number`.
    ///   - limit: The maximum number of pages; a list with more of them is the error `malformedResponse`. Default:
    ///     10,000.
    /// - Returns: The pages. Nothing is sent before the loop begins.
    public func pages<Page: Decodable & Sendable>(
        _ url: any RequestTarget,
        parameters: [String: Any]? = nil,
        headers: HTTPHeaders? = nil,
        as type: Page.Type,
        by pagination: Pagination<Page>,
        limit: Int = 10_000
    ) -> Pages<Page> {
        var parameters = parameters ?? [:]
        for (name, value) in pagination.first { parameters[name] = value }
        return Pages(
            manager: self,
            first: requestResult(RequestDraft(.get, url, parameters.isEmpty ? nil : parameters, nil, headers)),
            pagination: pagination,
            decoder: jsonDecoder,
            limit: limit
        )
    }
}

extension URL {
    /// Whether two URLs have the same scheme, host and port, with any scheme.
    fileprivate func isSameServer(as other: URL?) -> Bool {
        guard let other else { return false }
        if let origin = Origin(self) { return origin == Origin(other) }
        return scheme?.lowercased() == other.scheme?.lowercased() && host != nil && host == other.host
            && port == other.port
    }

    /// Whether a server may lead from another URL to this one: with http and https only, and not from https to http.
    fileprivate func mayFollow(_ other: URL?) -> Bool {
        switch scheme?.lowercased() {
        case "https": true
        case "http": other?.scheme?.lowercased() == "http"
        default: false
        }
    }
}

extension URLComponents {
    /// Sets parameters of the query, in place of those with the same names.
    fileprivate mutating func setQuery(_ parameters: [String: String]) {
        let names = Set(parameters.keys.map(QueryEncoder.percentEscaped))
        let others = (percentEncodedQuery ?? "").split(separator: "&").filter { pair in
            !names.contains(String(pair.prefix { $0 != "=" }))
        }
        let added = parameters.sorted { $0.key < $1.key }.map {
            "\(QueryEncoder.percentEscaped($0.key))=\(QueryEncoder.percentEscaped($0.value))"
        }
        percentEncodedQuery = (others.map(String.init) + added).joined(separator: "&")
    }
}
