/// Keeps images in memory for an ``ImageDownloader``: ``AutoPurgingImageCache``, or a cache of the caller's.
///
/// Its methods may be called on any thread.
public protocol ImageCache: Sendable {
    /// Decides whether an image that was downloaded is added.
    ///
    /// Default: true.
    /// - Parameters:
    ///   - image: The image.
    ///   - request: The request that it was downloaded for.
    ///   - identifier: What tells images of the same request apart, such as the name of a filter.
    func shouldCache(_ image: Image, for request: URLRequest, identifier: String?) -> Bool

    /// Adds an image, in place of one that is there.
    func add(_ image: Image, for request: URLRequest, identifier: String?)

    /// Removes an image.
    /// - Returns: Whether there was one.
    @discardableResult
    func removeImage(for request: URLRequest, identifier: String?) -> Bool

    /// The image of a request; nil if there is none.
    func image(for request: URLRequest, identifier: String?) -> Image?

    /// Removes all images.
    /// - Returns: Whether there were any.
    @discardableResult
    func removeAllImages() -> Bool
}

extension ImageCache {
    /// Returns true.
    public func shouldCache(_ image: Image, for request: URLRequest, identifier: String?) -> Bool { true }
}
