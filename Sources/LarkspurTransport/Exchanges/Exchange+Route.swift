#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

/// The route to the server: a proxy, a socket, or neither.
extension Exchange {
    /// Chooses the proxy of the request; nil for none.
    func proxy() throws(URLError) -> ProxyServer? {
        guard !group.settings.proxies.isDirect, let url = destination.url, url.scheme?.isUnixScheme != true else {
            return nil
        }
        do throws(ProxySettings.Failure) {
            return try group.settings.proxies.proxy(for: url)
        } catch {
            throw .engine(.cannotFindHost, error.sentence, url: url)
        }
    }
}

extension String {
    fileprivate var isUnixScheme: Bool { UnixSocketTarget.schemes.contains(lowercased()) }
}
#endif
