#if canImport(FoundationNetworking)
/// The limits of RFC 6265bis (sections 5.6 and 6.1), which browsers observe.
enum CookieLimits {
    /// The largest length of a name and its value, in bytes.
    static let pairLength = 4096
    /// The largest length of an attribute's value, in bytes.
    static let attributeLength = 1024
    /// The largest number of cookies of one site: a public suffix and the label before it.
    static let perSite = 180
    /// The largest number of cookies of a storage.
    static let total = 3000
    /// The largest length of the `Cookie` field of a request, in bytes.
    static let fieldLength = 8192
}
#endif
