#if canImport(FoundationNetworking)

/// The fields of a response that say where its content ends.
struct FramingFields: Equatable, Sendable {
    /// The `Content-Length` fields together; nil without any.
    var length: ContentLength?
    /// The `Transfer-Encoding` fields, joined by commas; nil without any.
    var transferEncoding: String?
    /// The name of such a field that was written so that not every recipient sees it: folded, or with other characters
    /// before its colon or its name.
    var obscured: String?
}

#endif
