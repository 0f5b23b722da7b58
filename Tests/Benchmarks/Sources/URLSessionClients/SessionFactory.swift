package import Foundation
package import FoundationNetworking
internal import Measuring

/// Makes the kind of `URLSession` that a program measures.
package typealias SessionFactory =
    @Sendable (URLSessionConfiguration, (any URLSessionDelegate)?, OperationQueue?) -> URLSession

extension URLSessionConfiguration {
    /// The default configuration, with so many connections to a host and no cache, which would spare the requests.
    static func measured(_ options: Options) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        // The network is what is measured.
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = options.connections
        return configuration
    }
}
