#if canImport(FoundationNetworking)
import Foundation
package import FoundationNetworking
#else
package import Foundation
#endif

extension URLSessionConfiguration {
    /// A configuration that shares nothing with other tests, and gives requests three minutes without a byte: on a
    /// machine that is busy with others, a gate that a test holds shut may outlast the default of one minute.
    package static var testing: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 180
        return configuration
    }
}
