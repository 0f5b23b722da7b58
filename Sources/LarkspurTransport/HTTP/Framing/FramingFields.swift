#if canImport(FoundationNetworking)
/// The fields of a response that determine the end of its content.
struct FramingFields: Equatable, Sendable {
    /// The combined `Content-Length` fields; nil without any.
    var length: ContentLength?
    /// The `Transfer-Encoding` fields, joined by commas; nil without any.
    var transferEncoding: String?
    /// The name of such a field that some recipients might not see: folded, or with other characters before its colon
    /// or its name.
    var obscured: String?
}
#endif
