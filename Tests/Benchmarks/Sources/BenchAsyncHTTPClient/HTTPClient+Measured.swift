internal import AsyncHTTPClient
internal import Measuring

extension HTTPClient {
    /// A client with its default settings, but for so many HTTP/1 connections to a host.
    static func measured(_ options: Options) -> HTTPClient {
        var configuration = Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.connections
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}
