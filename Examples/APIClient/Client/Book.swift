/// A book on the shelf.
public struct Book: Codable, Hashable, Sendable, Identifiable {
    /// The number of the book.
    public let id: Int
    /// The title.
    public var title: String
    /// The number of pages.
    public var pageCount: Int

    /// Creates a book.
    public init(id: Int, title: String, pageCount: Int) {
        self.id = id
        self.title = title
        self.pageCount = pageCount
    }
}

/// A book that is not on the shelf yet.
public struct BookDraft: Codable, Hashable, Sendable {
    /// The title.
    public var title: String
    /// The number of pages.
    public var pageCount: Int

    /// Creates a draft.
    public init(title: String, pageCount: Int) {
        self.title = title
        self.pageCount = pageCount
    }
}
