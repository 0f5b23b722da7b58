#if canImport(FoundationNetworking)
internal import CLibcurl

extension Exchange {
    /// Finds out which proxy the request goes through.
    func chooseRoute() throws(URLError) {
        if case .server(let server, _) = reactor.settings.options.proxy { proxy = server }
    }
}

extension EasyHandle {
    /// Sets the way of one transfer.
    func setRoute(proxy: ProxyServer?) {
        guard let proxy else { return }
        set(CURLOPT_PROXY, proxy.curlName)
    }
}
#endif
