/// A cache of images in memory with a capacity. If it is exceeded, the least recently used images are removed.
///
/// The key of an image is an identifier, or a request with an optional identifier. Requests are equal if their URL,
/// method, header fields and body are equal, so that an image which was loaded with one user's credentials is never
/// returned for another user. An image costs four bytes for each pixel.
public final class AutoPurgingImageCache: ImageCache {
    private enum Key: Hashable, Sendable {
        case identifier(String)
        case request(RequestIdentity, identifier: String?)
    }

    private let images: AutoPurgingCache<Key, Image>

    /// Creates a cache.
    /// - Parameters:
    ///   - memoryCapacity: The maximum total cost of the images, in bytes. Default: 100 MiB.
    ///   - preferredMemoryUsageAfterPurge: The maximum total cost of the images that are left after a purge, in bytes.
    ///     Default: 60 MiB.
    public init(memoryCapacity: Int = 100 << 20, preferredMemoryUsageAfterPurge: Int = 60 << 20) {
        images = AutoPurgingCache(
            memoryCapacity: memoryCapacity,
            preferredMemoryUsageAfterPurge: preferredMemoryUsageAfterPurge,
            cost: \.memoryCost
        )
    }

    /// The maximum total cost of the images, in bytes.
    public var memoryCapacity: Int { images.memoryCapacity }
    /// The maximum total cost of the images that are left after a purge, in bytes.
    public var preferredMemoryUsageAfterPurge: Int { images.preferredMemoryUsageAfterPurge }
    /// The total cost of the images, in bytes.
    public var memoryUsage: Int { images.memoryUsage }

    // MARK: By identifiers

    /// Adds an image under an identifier of the caller. It replaces the previous image of the identifier.
    public func add(_ image: Image, identifier: String) { images.insert(image, for: .identifier(identifier)) }

    /// Returns the image of an identifier; nil if there is none. The call counts as a use.
    public func image(identifier: String) -> Image? { images.value(for: .identifier(identifier)) }

    /// Removes the image of an identifier.
    /// - Returns: Whether there was an image.
    @discardableResult
    public func removeImage(identifier: String) -> Bool { images.removeValue(for: .identifier(identifier)) }

    // MARK: By requests

    /// Adds an image for a request. It replaces the previous image of the request. An image for a request whose body is
    /// a stream is not stored.
    public func add(_ image: Image, for request: URLRequest, identifier: String? = nil) {
        if let key = Self.key(request, identifier) { images.insert(image, for: key) }
    }

    /// Returns the image of a request; nil if there is none. The call counts as a use.
    public func image(for request: URLRequest, identifier: String? = nil) -> Image? {
        Self.key(request, identifier).flatMap { images.value(for: $0) }
    }

    /// Removes the image of a request.
    /// - Returns: Whether there was an image.
    @discardableResult
    public func removeImage(for request: URLRequest, identifier: String? = nil) -> Bool {
        Self.key(request, identifier).map { images.removeValue(for: $0) } ?? false
    }

    /// Removes all images.
    /// - Returns: Whether there were images.
    @discardableResult
    public func removeAllImages() -> Bool { images.removeAll() }

    private static func key(_ request: URLRequest, _ identifier: String?) -> Key? {
        RequestIdentity(request).map { .request($0, identifier: identifier) }
    }
}
