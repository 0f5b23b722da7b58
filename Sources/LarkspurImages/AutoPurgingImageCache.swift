/// Keeps images in memory up to a capacity; those that were not used for the longest time give way.
///
/// An image belongs to an identifier, or to a request and an identifier besides. Requests are the same if their URL,
/// method, header fields and body are, so that an image which was loaded with one user's credentials is never
/// another's. An image costs four bytes for each pixel.
public final class AutoPurgingImageCache: ImageCache {
    private enum Key: Hashable, Sendable {
        case identifier(String)
        case request(RequestIdentity, identifier: String?)
    }

    private let images: AutoPurgingCache<Key, Image>

    /// Makes a cache.
    /// - Parameters:
    ///   - memoryCapacity: What its images may cost together, in bytes. Default: 100 MiB.
    ///   - preferredMemoryUsageAfterPurge: What the images that are left after a purge cost at most. Default: 60 MiB.
    public init(memoryCapacity: Int = 100 << 20, preferredMemoryUsageAfterPurge: Int = 60 << 20) {
        images = AutoPurgingCache(
            memoryCapacity: memoryCapacity,
            preferredMemoryUsageAfterPurge: preferredMemoryUsageAfterPurge,
            cost: \.memoryCost
        )
    }

    /// What its images may cost together, in bytes.
    public var memoryCapacity: Int { images.memoryCapacity }
    /// What the images that are left after a purge cost at most, in bytes.
    public var preferredMemoryUsageAfterPurge: Int { images.preferredMemoryUsageAfterPurge }
    /// What its images cost together, in bytes.
    public var memoryUsage: Int { images.memoryUsage }

    // MARK: By identifiers

    /// Adds an image under an identifier of the caller's, in place of one that is there.
    public func add(_ image: Image, identifier: String) { images.insert(image, for: .identifier(identifier)) }

    /// The image of an identifier; nil if there is none.
    public func image(identifier: String) -> Image? { images.value(for: .identifier(identifier)) }

    /// Removes the image of an identifier.
    /// - Returns: Whether there was one.
    @discardableResult
    public func removeImage(identifier: String) -> Bool { images.removeValue(for: .identifier(identifier)) }

    // MARK: By requests

    /// Adds an image for a request, in place of one that is there. One for a request whose body is a stream is not
    /// kept.
    public func add(_ image: Image, for request: URLRequest, identifier: String? = nil) {
        if let key = Self.key(request, identifier) { images.insert(image, for: key) }
    }

    /// The image of a request; nil if there is none.
    public func image(for request: URLRequest, identifier: String? = nil) -> Image? {
        Self.key(request, identifier).flatMap { images.value(for: $0) }
    }

    /// Removes the image of a request.
    /// - Returns: Whether there was one.
    @discardableResult
    public func removeImage(for request: URLRequest, identifier: String? = nil) -> Bool {
        Self.key(request, identifier).map { images.removeValue(for: $0) } ?? false
    }

    /// Removes all images.
    /// - Returns: Whether there were any.
    @discardableResult
    public func removeAllImages() -> Bool { images.removeAll() }

    private static func key(_ request: URLRequest, _ identifier: String?) -> Key? {
        RequestIdentity(request).map { .request($0, identifier: identifier) }
    }
}
