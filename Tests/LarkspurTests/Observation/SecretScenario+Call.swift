import LarkspurCredentials
import LarkspurTesting
import LarkspurTransport

@testable import Larkspur

extension SecretScenario {
    /// The manager and the objects that have its secrets.
    struct Client {
        let manager: SessionManager
        let options: CurlURLSession.Options
        let cassette: Cassette?
        /// Values of the public API that have a secret, which a program may print.
        var values: [any Sendable] = []
    }

    /// Creates the session manager, whose files are in a folder.
    func makeClient(_ servers: SecretServers, _ folder: URL) throws -> Client {
        let base = servers.base(self)
        guard let url = URL(string: base + "/"), let host = url.host else { throw URLError(.badURL) }
        let configuration = URLSessionConfiguration.testing
        if isCached { configuration.urlCache = HTTPCache(directory: folder.appendingPathComponent("cache")) }
        if places.contains(.jar) {
            let properties: [HTTPCookiePropertyKey: Any] = [.domain: host, .path: "/", .name: "jar", .value: bound]
            HTTPCookie(properties: properties).map { configuration.httpCookieStorage?.setCookie($0) }
        }
        let credential = URLCredential(user: "ada", password: bound, persistence: .forSession)
        if places.contains(.storage) {
            for method in [NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest] {
                let space = URLProtectionSpace(
                    host: host,
                    port: url.port ?? 80,
                    protocol: "http",
                    realm: "r",
                    authenticationMethod: method
                )
                configuration.urlCredentialStorage?.setDefaultCredential(credential, for: space)
            }
        }
        var options = CurlURLSession.Options()
        options.partialDownloadFolder = folder.appendingPathComponent("partial")
        if isProxied {
            let port = Int(servers.proxy.port)
            options.proxy = .server(ProxyServer(host: "127.0.0.1", port: port, user: "proxy", password: bound))
        }
        var transport = Transport.curl(options)
        var cassette: Cassette?
        if isRecorded {
            let recorder = try Cassette(
                folder.appendingPathComponent("cassette.json"),
                mode: .record,
                transport: transport
            )
            (cassette, transport) = (recorder, recorder.transport)
        }
        let manager = SessionManager(baseURL: url, configuration: configuration, transport: transport)
        manager.reportsUnhandledFailures = true
        if places.contains(.settings) { manager.requestSettings.setAuthorization(bearerToken: bound) }
        if places.contains(.basicSettings) {
            manager.requestSettings.setAuthorization(username: "ada", password: bound)
        }
        if places.contains(.hook) {
            manager.hooks.challengeDisposition = { _, challenge in
                let isOrigin = challenge.protectionSpace.host == host && !challenge.protectionSpace.isProxy()
                return isOrigin && challenge.previousFailureCount == 0
                    ? .useCredential(credential) : .performDefaultHandling
            }
        }
        var client = Client(manager: manager, options: options, cassette: cassette)
        client.values = [options.proxy, manager.requestSettings, manager.headers]
        try intercept(&client, url)
        return client
    }

    private func intercept(_ client: inout Client, _ url: URL) throws {
        let manager = client.manager
        if places.contains(.netrc) {
            // The entry for all hosts must not be used for those to which a server leads.
            let netrc = try Netrc(text: "machine h login ada password p default login ada password \(bound)")
            manager.interceptors.call.append(.netrc(netrc))
            client.values += [netrc, netrc.entries]
        }
        defer { if places.contains(.signature) { sign(&client, url) } }
        if retries { manager.interceptors.call.append(RetryPolicy(maximumAttempts: 3, baseDelay: .microseconds(100))) }
        if places.contains(.tokenField) {
            let interceptor = AuthenticationInterceptor(bound, authenticator: TokenField(), for: url)
            manager.interceptors.attempt.append(interceptor)
            client.values.append(interceptor)
        }
        guard places.contains(.oauth) || places.contains(.failingOAuth) else { return }
        let (isRefused, bound) = (places.contains(.failingOAuth), bound)
        let authenticator = OAuth2Authenticator(tokenEndpoint: url, clientID: "id", clientSecret: bound) { request in
            let answer =
                isRefused
                ? #"{"error": "invalid_grant", "refresh_token": "\#(bound)"}"#
                : #"{"access_token": "\#(bound)", "token_type": "bearer", "refresh_token": "\#(bound)"}"#
            let response = request.url.flatMap {
                HTTPURLResponse(url: $0, statusCode: isRefused ? 400 : 200, httpVersion: nil, headerFields: nil)
            }
            guard let response else { throw URLError(.badURL) }
            return (Data(answer.utf8), response)
        }
        let credential = OAuth2Credential(accessToken: bound, refreshToken: bound)
        let interceptor = AuthenticationInterceptor(credential, authenticator: authenticator, for: url)
        manager.interceptors.attempt.append(interceptor)
        client.values += [credential, authenticator, interceptor]
    }

    /// Adds the interceptor of signatures behind all others.
    private func sign(_ client: inout Client, _ url: URL) {
        let credentials = AWSCredentials(accessKeyID: "AKID", secretAccessKey: bound, sessionToken: bound)
        let source = AWSCredentialSource.fixed(credentials)
        let signature = AWSSignature(service: "execute-api", region: "r", credentials: source, for: url)
        client.manager.interceptors.attempt.append(signature)
        client.values += [credentials, source, signature]
    }

    /// The request of the call.
    func makeRequest(_ servers: SecretServers) throws -> URLRequest {
        var base = servers.base(self)
        if places.contains(.userInfo) { base = base.replacing("http://", with: "http://ada:\(bound)@") }
        // A script of one step leaves the handshake to the WebSocket's own route.
        let path = kind == .webSocket && steps.count == 1 ? "/socket" : "/start"
        guard let url = URL(string: base + path + sample.suffix) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        if kind == .await || kind == .chain || kind == .upload {
            request.httpMethod = isCached || retries ? "GET" : "POST"
            if request.httpMethod == "POST" || kind == .upload {
                request.httpMethod = kind == .upload ? "PUT" : "POST"
                request.httpBody = Data(sample.content.text.utf8)
                request.setValue(sample.content.type, forHTTPHeaderField: "Content-Type")
            }
        }
        request.setValue(sample.field.value, forHTTPHeaderField: sample.field.name)
        if places.contains(.ownAuthorization) {
            request.setValue("Bearer \(bound)", forHTTPHeaderField: "Authorization")
        }
        if places.contains(.ownCookie) { request.setValue("own=\(bound)", forHTTPHeaderField: "Cookie") }
        return request
    }

    /// The options of the call.
    var callOptions: CallOptions {
        var options = CallOptions()
        if places.contains(.callCredential) {
            options.credential = URLCredential(user: "ada", password: bound, persistence: .none)
        }
        return options
    }
}

/// A token in a field of its own.
private struct TokenField: RequestAuthenticator {
    func apply(_ token: String, to request: inout URLRequest) { request.headers["X-Own-Token"] = token }

    func refresh(_ token: String, after refusal: InterceptedResponse?) async throws -> String { token }
}
