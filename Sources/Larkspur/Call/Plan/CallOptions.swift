internal import HTTPSyntax

/// The settings of a call besides its request: timeouts, interceptors, hooks, progress, rules for the response and
/// others.
///
///     var patient = CallOptions(timeouts: Timeouts(total: .seconds(90)))
///     patient.interceptors.call = [.retry(maximumAttempts: 5)]
///     let report = try await manager.get("reports/1", options: patient).value(as: Report.self)
///
/// If a property is nil or empty, the setting of the session manager applies, or the default that is named at the
/// property. The methods of a call set the same values one by one:
/// `manager.get("reports/1").timeout(total: .seconds(90))`.
public struct CallOptions: Sendable {
    /// The limits of the time of the call, which take precedence over the limits of the session manager. Default: none.
    public var timeouts: Timeouts
    /// The interceptors of the call, which run within the interceptors of the session manager. Default: none.
    public var interceptors: RequestInterceptors
    /// The hooks of the task. Each of them takes precedence over the same hook of the session manager. Default: nil.
    public var hooks: SessionHooks?
    /// The credential for authentication challenges of the request's origin and of proxies. If it is refused, it is not
    /// sent again. An origin to which a redirect leads does not get it. The credential replaces the hook
    /// ``SessionHooks/challengeDisposition``. Default: nil.
    public var credential: URLCredential?
    /// The rules by which responses are acceptable, in place of the rules of the serializer. Without these rules, a
    /// download or a stream, which has no serializer, accepts any content with a status of 200 to 299. Default: nil.
    public var validation: ResponseValidation?
    /// The encoding of the parameters of the call, which takes precedence over
    /// ``RequestSettings/methodsEncodingParametersInURI``, ``RequestSettings/queryEncoder`` and the serializer of the
    /// session manager. It has no effect on a request that the caller has built. Default: nil.
    public var parameterEncoding: ParameterEncoding?
    /// The cache policy, in place of the policy of ``SessionManager/requestSettings`` or of the request. Default: nil.
    public var cachePolicy: URLRequest.CachePolicy?
    /// The verification of the content, by the digests that the server sends with it (RFC 9530), or by an expected
    /// digest or size. Default: nil, for none.
    public var digestVerification: DigestVerification?
    /// The priority of the task, from 0 to 1. Default: nil, to use `URLSessionTask.defaultPriority`.
    public var priority: Float?
    /// Whether the content of the request is sent to its end, even if the response has a status of 300 or more. Over
    /// HTTP/2, the end of the response ends the sending nevertheless. If the session is not a `CurlURLSession`, the
    /// call ends with the error `unsupported`. Default: false, with which such a status ends the sending.
    public var keepsSending: Bool
    /// The closure that is called on the manager's completion queue while the content of the request is sent. Default:
    /// nil.
    public var uploadProgress: (@Sendable (Progress) -> Void)?
    /// The closure that is called on the manager's completion queue while the content of the response arrives. Default:
    /// nil.
    public var downloadProgress: (@Sendable (Progress) -> Void)?
    /// The checks of the response that the methods of a call have added.
    var checks = ResponseChecks()
    /// Whether a response of another origin has led to the URL of the call.
    var isLedElsewhere = false

    /// Creates options.
    /// - Parameters:
    ///   - timeouts: The limits of the time of the call. Default: the limits of the session manager.
    ///   - interceptors: The interceptors of the call. Default: none.
    ///   - hooks: The hooks of the task. Default: none.
    ///   - credential: The credential for authentication challenges. Default: none.
    ///   - validation: The rules by which responses are acceptable. Default: the rules of the serializer.
    ///   - cachePolicy: The cache policy. Default: the policy of the session manager.
    ///   - digestVerification: The verification of the content. Default: none.
    ///   - priority: The priority of the task, from 0 to 1. Default: `URLSessionTask.defaultPriority`.
    ///   - keepsSending: Whether content is sent even after a status of 300 or more. Default: false.
    ///   - uploadProgress: Called on the completion queue while the content of the request is sent. Default: none.
    ///   - downloadProgress: Called on the completion queue while the content of the response arrives. Default: none.
    ///   - parameterEncoding: The encoding of the parameters. Default: that of the session manager.
    public init(
        timeouts: Timeouts = Timeouts(),
        interceptors: RequestInterceptors = RequestInterceptors(),
        hooks: SessionHooks? = nil,
        credential: URLCredential? = nil,
        validation: ResponseValidation? = nil,
        cachePolicy: URLRequest.CachePolicy? = nil,
        digestVerification: DigestVerification? = nil,
        priority: Float? = nil,
        keepsSending: Bool = false,
        uploadProgress: (@Sendable (Progress) -> Void)? = nil,
        downloadProgress: (@Sendable (Progress) -> Void)? = nil,
        parameterEncoding: ParameterEncoding? = nil
    ) {
        self.timeouts = timeouts
        self.interceptors = interceptors
        self.hooks = hooks
        self.credential = credential
        self.validation = validation
        self.cachePolicy = cachePolicy
        self.digestVerification = digestVerification
        self.priority = priority
        self.keepsSending = keepsSending
        self.uploadProgress = uploadProgress
        self.downloadProgress = downloadProgress
        self.parameterEncoding = parameterEncoding
    }

    /// Whether the call creates its transfer when the call starts, and not when the call is created. Timeouts and
    /// interceptors need the task before there is a transfer.
    var launchesLate: Bool { !timeouts.isEmpty || !interceptors.isEmpty || keepsSending }

    /// The hooks of the task, including the hook that returns the credential for challenges; nil if there are none.
    var taskHooks: SessionHooks? {
        guard let credential else { return hooks }
        var hooks = hooks ?? SessionHooks()
        hooks.answer(with: credential)
        return hooks
    }

    /// Returns the plan with a request in which the properties of the options are set.
    func applied(to plan: CallPlan) -> CallPlan {
        guard cachePolicy != nil || digestVerification != nil else { return plan }
        if let failure = digestVerification?.expected?.failure { return plan.failing(with: failure) }
        return plan.mapRequest { request in
            var request = digestVerification == nil ? request : request.requestingNoCoding
            if let cachePolicy { request.cachePolicy = cachePolicy }
            return request
        }
    }
}

/// The options of a call behind a reference. Most calls have the default options, and share them.
final class StoredOptions: Sendable {
    let value: CallOptions
    /// Whether the call has a credential for challenges. The task stores the credential itself.
    let hasCredential: Bool

    static let none = StoredOptions(CallOptions())

    /// The options that the transport needs; nil if it needs none.
    let ofTransfer: TransferOptions?

    init(_ value: CallOptions, hasCredential: Bool = false) {
        self.value = value
        self.hasCredential = hasCredential
        let connectTimeout = value.timeouts.connect?.timeInterval
        ofTransfer =
            value.keepsSending || connectTimeout != nil
            ? TransferOptions(connectTimeout: connectTimeout, keepsSending: value.keepsSending) : nil
    }

    func changed(_ body: (inout CallOptions) -> Void) -> StoredOptions {
        var value = value
        body(&value)
        return StoredOptions(value, hasCredential: hasCredential)
    }
}

extension SessionHooks {
    /// Sets the hook `challengeDisposition` to a closure that returns a credential, unless it was refused before.
    mutating func answer(with credential: URLCredential) {
        challengeDisposition = { task, challenge in
            // After a redirect, the challenge may come from another origin, which must not get this credential.
            guard challenge.protectionSpace.belongs(to: task.originalRequest?.url) else {
                return .performDefaultHandling
            }
            return challenge.previousFailureCount == 0 ? .useCredential(credential) : .rejectProtectionSpace
        }
    }
}

extension URLProtectionSpace {
    /// Whether the space belongs to a proxy, or to the origin of a URL.
    fileprivate func belongs(to url: URL?) -> Bool {
        if isProxy() { return true }
        guard let url, let origin = Origin(url) else { return false }
        return (try? CanonicalHost(named: host))?.urlText == origin.host && port == origin.port
            && (self.protocol?.inLowercase ?? origin.scheme) == origin.scheme
    }
}
