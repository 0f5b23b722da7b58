/// The functions that differ between Linux and Apple platforms.
enum Platform {
    /// Creates an HTTP cache for a configuration.
    /// - Parameter directory: The folder for its files; nil for none.
    static func makeURLCache(memoryCapacity: Int, diskCapacity: Int, directory: URL?) -> URLCache {
        #if canImport(FoundationNetworking)
        HTTPCache(memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, directory: directory)
        #else
        URLCache(
            memoryCapacity: memoryCapacity,
            diskCapacity: directory == nil ? 0 : diskCapacity,
            directory: directory
        )
        #endif
    }
}
