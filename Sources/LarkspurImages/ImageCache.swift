/// A cache of images in memory for an ``ImageDownloader``: ``AutoPurgingImageCache``, or a cache of the caller.
///
/// Its methods may be called on any thread.
public protocol ImageCache: Sendable {
    /// Returns whether a downloaded image is added to the cache.
    ///
    /// Default: true.
    /// - Parameters:
    ///   - image: The image.
    ///   - request: The request that it was downloaded for.
    ///   - identifier: An identifier that distinguishes images of the same request, such as the name of a filter.
    func shouldCache(_ image: Image, for request: URLRequest, identifier: String?) -> Bool

    /// Adds an image, which replaces the previous one of the request and identifier.
    func add(_ image: Image, for request: URLRequest, identifier: String?)

    /// Removes an image.
    /// - Returns: Whether there was an image.
    @discardableResult
    func removeImage(for request: URLRequest, identifier: String?) -> Bool

    /// Returns the image of a request; nil if there is none.
    func image(for request: URLRequest, identifier: String?) -> Image?

    /// Removes all images.
    /// - Returns: Whether there were images.
    @discardableResult
    func removeAllImages() -> Bool
}

extension ImageCache {
    /// Returns true.
    public func shouldCache(_ image: Image, for request: URLRequest, identifier: String?) -> Bool { true }
}
