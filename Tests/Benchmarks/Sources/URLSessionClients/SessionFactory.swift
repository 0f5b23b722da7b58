package import Foundation
package import FoundationNetworking
internal import Measuring

/// Makes the kind of `URLSession` that a program measures.
package typealias SessionFactory =
    @Sendable (URLSessionConfiguration, (any URLSessionDelegate)?, OperationQueue?) -> URLSession

extension URLSessionConfiguration {
    /// The default configuration, but for the number of connections to a host.
    static func measured(_ options: Options) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        if options.client.contains("-uncached") { configuration.urlCache = nil }
        configuration.httpMaximumConnectionsPerHost = options.connections
        return configuration
    }
}
