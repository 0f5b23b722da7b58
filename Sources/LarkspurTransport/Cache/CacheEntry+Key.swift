#if canImport(FoundationNetworking)
extension CacheEntry {
    /// Returns the key of a URL, which is its normal form; nil for a URL that cannot be sent.
    static func key(_ url: URL) -> String? {
        (try? CurlURL(url)).map { $0.normalForm(of: url) }
    }
}
#endif
