#if canImport(FoundationNetworking)
extension CurlURLSession {
    /// A snapshot of the session's connections and requests, one value for each origin that has any, sorted by origin.
    ///
    /// It is computed on the session's thread when the property is read, and costs nothing otherwise. A session whose
    /// thread has ended has no connections. Reading the property does not keep connections open.
    ///
    ///     for origin in await session.connections {
    ///         print(origin.origin, origin.busy, "of", origin.open, "connections,", origin.waiting, "requests wait")
    ///     }
    public var connections: [OriginConnections] {
        get async {
            guard core.loop.isRunning else { return [] }
            return await withCheckedContinuation { continuation in
                core.loop.post(.snapshot { continuation.resume(returning: $0) })
            }
        }
    }
}
#endif
