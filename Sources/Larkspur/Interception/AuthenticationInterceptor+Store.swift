extension AuthenticationInterceptor where Credential: Codable {
    /// Creates an interceptor whose credential is shared with other processes through a store, so that only one of them
    /// refreshes it.
    ///
    ///     let login = AuthenticationInterceptor(
    ///         credential,
    ///         authenticator: authenticator,
    ///         sharedIn: store,
    ///         key: "login/ada",
    ///         for: baseURL
    ///     )
    ///
    /// The store is read before the first request, before requests without a credential, when the credential is about
    /// to expire, and when a server refuses it. All other requests use the copy in memory. If the store has a newer
    /// credential, it is used. Otherwise one process refreshes the credential under a lease. The other processes wait
    /// for the result.
    ///
    /// If the store fails, a credential that has not expired is used without the store. Other calls to the origins fail
    /// with `sharedStoreUnavailable`. Without a credential, these are all calls, so a login must not send its requests
    /// through this interceptor.
    ///
    /// If the process that refreshes ends before it has begun the refresh, another process takes over after 10 seconds.
    /// If it ends later, the credential may have been used, and all processes fail with `credentialRefreshFailed` until
    /// a program sets another credential. The refresh begins before the name of the server is looked up. The same
    /// applies to a refresh that got no usable response, or takes longer than two minutes. A redirect, or a status from
    /// 500 on, is not usable: a gateway may send it after the server has used the credential. It does not apply with
    /// ``RequestAuthenticator/allowsRepeatedRefresh``. An authenticator that sends its request again after a failure
    /// must not report the last failure alone, such as `cannotConnectToHost`. The attempts of a call that the
    /// interceptors of a ``SessionManager`` repeat count by themselves; several calls do not.
    ///
    /// Whether a request was sent is known from the errors of this library's engine. A call that ends by
    /// ``Timeouts/attempt``, or another limit of time of the session manager, counts as one that was sent. With another
    /// transport, so does a connection that was refused.
    ///
    /// If the store loses its data, it gets the credential of the first process that looks at it. A credential from a
    /// login or a refresh takes the place of one with which an interceptor was created. If that process has an older
    /// credential than another, or if the store has lost only its latest value, a credential may be refreshed twice.
    /// This can happen in a Redis without `appendfsync always`, and after a failover.
    /// - Parameters:
    ///   - credential: The credential with which the store begins if it has none; nil if there is none. It is stored at
    ///     the first request, also after another process has removed its credential.
    ///   - authenticator: The rules of the credential.
    ///   - refreshWindow: The credential is refreshed when it expires within this time. For a credential from a
    ///     refresh, the time is at most half of the time from that refresh to the expiry. Default: 30 seconds.
    ///   - store: The store. It has the credential in JSON, and everyone who can read the store can use the credential,
    ///     unless the store is encrypted.
    ///   - key: The key of the credential in the store. Errors may contain it.
    ///   - storeTimeout: The limit of each step of the store. After a failure, a credential that has not expired is
    ///     used for the same time without the store. It has to be more than zero. Default: 5 seconds.
    ///   - urls: The URLs to whose origins the credential is sent, such as the base URL of the session manager.
    public convenience init(
        _ credential: Credential?,
        authenticator: some RequestAuthenticator<Credential>,
        refreshWindow: Duration = .seconds(30),
        sharedIn store: any SharedStore,
        key: String,
        storeTimeout: Duration = .seconds(5),
        for urls: URL...
    ) {
        self.init(
            credential,
            authenticator: authenticator,
            refreshWindow: refreshWindow,
            sharing: CredentialSharing(store, key: key, timeout: storeTimeout),
            urls: urls
        ) { Date() }
    }
}

extension CredentialSharing where Credential: Codable {
    /// Creates a description of a store that has credentials in JSON.
    init(_ store: any SharedStore, key: String, timeout: Duration) {
        self.init(
            store: store,
            key: key,
            timeout: timeout,
            encode: { (try? JSONEncoder().encode($0)) ?? Data() },
            decode: { try? JSONDecoder().decode(Credential.self, from: $0) }
        )
    }
}

extension RequestInterceptor {
    /// Returns an interceptor that adds a credential to requests. The credential is shared with other processes through
    /// a store, so that only one of them refreshes it.
    ///
    /// ``AuthenticationInterceptor/init(_:authenticator:refreshWindow:sharedIn:key:storeTimeout:for:)`` describes the
    /// use of the store.
    /// - Parameters:
    ///   - credential: The credential with which the store begins if it has none; nil if there is none.
    ///   - authenticator: The rules of the credential.
    ///   - refreshWindow: The credential is refreshed when it expires within this time. For a credential from a
    ///     refresh, the time is at most half of the time from that refresh to the expiry. Default: 30 seconds.
    ///   - store: The store.
    ///   - key: The key of the credential in the store.
    ///   - storeTimeout: The limit of each step of the store. Default: 5 seconds.
    ///   - urls: The URLs to whose origins the credential is sent, such as the base URL of the session manager.
    public static func authentication<Credential: Codable>(
        _ credential: Credential?,
        authenticator: some RequestAuthenticator<Credential>,
        refreshWindow: Duration = .seconds(30),
        sharedIn store: any SharedStore,
        key: String,
        storeTimeout: Duration = .seconds(5),
        for urls: URL...
    ) -> Self where Self == AuthenticationInterceptor<Credential> {
        AuthenticationInterceptor(
            credential,
            authenticator: authenticator,
            refreshWindow: refreshWindow,
            sharing: CredentialSharing(store, key: key, timeout: storeTimeout),
            urls: urls
        ) { Date() }
    }
}
