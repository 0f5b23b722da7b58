internal import HTTPSyntax

/// The code that a user enters on another device, and the page for it (RFC 8628, section 3.2).
public struct OAuth2DeviceCode: Sendable, Hashable {
    /// The code that the user enters.
    public let userCode: String
    /// The page at which the user enters the code.
    public let verificationURL: URL
    /// The page that knows the code already, for example for a QR code; nil if there is none.
    public let completeVerificationURL: URL?
    /// The date at which the code expires; nil if it is unknown.
    public let expirationDate: Date?
}

extension OAuth2Client {
    /// Obtains a token for a user who logs in on another device, such as a telephone (RFC 8628).
    ///
    /// The program shows a code and the URL of a page. While the user logs in at that page, the method asks the server
    /// in its interval, 5 seconds by default, until the user has decided or the code has expired. If the server asks
    /// for it, the interval becomes longer by 5 seconds. If a request times out or loses its connection, or if the
    /// server is busy (429 and 5xx), the interval doubles. The session manager's clock measures these times. Cancel the
    /// Swift task to stop asking.
    /// - Parameters:
    ///   - scope: The scopes to request, separated by spaces. Default: those that the server chooses.
    ///   - parameters: Further parameters of the first request. Default: none.
    ///   - show: A closure that shows the code and the URL. It is called once, on an arbitrary thread. The method waits
    ///     for its end.
    /// - Throws: `authorizationFailed` if the server refuses a request, if the user declines (`access_denied`), if the
    ///   code has expired (`expired_token`), or if a response is invalid. `oauth2Failure` of the error has the
    ///   reason. If the closure throws an error, `authorizationFailed` with this error. Otherwise the error of the
    ///   transport, or `cancelled`.
    public func authorizeDevice(
        scope: String? = nil,
        parameters: [String: String] = [:],
        show: @Sendable (OAuth2DeviceCode) async throws -> Void
    ) async throws(LarkspurError) -> OAuth2Credential {
        do {
            guard let endpoint = server.deviceAuthorizationEndpoint else {
                throw LarkspurError(.unsupported, "The authorization server has no endpoint for devices.")
            }
            let start = date()
            let elapsed = clock.stopwatch()
            let answer = try await requests.answer(from: endpoint, self.parameters(parameters, scope: scope, [:]))
            let device = try DeviceAuthorization(answer, issuedAt: start)
            try await show(device.code)
            return try await credential(of: device, elapsed)
        } catch {
            throw LarkspurError(authorization: error)
        }
    }

    private func credential(
        of device: DeviceAuthorization,
        _ elapsed: @Sendable () -> Duration
    ) async throws -> OAuth2Credential {
        var polling = device.polling
        var event: DevicePolling.Event?
        while case .ask(let delay) = polling.step(after: event, elapsed: elapsed()) {
            try await clock.sleep(for: delay)
            do {
                return try await requests.credential(
                    [
                        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
                        "device_code": device.deviceCode,
                    ],
                    secrets: [device.deviceCode]
                )
            } catch let error as LarkspurError {
                guard let next = DevicePolling.Event(error) else { throw error }
                event = next
            }
        }
        let failure = OAuth2Failure(code: "expired_token", explanation: "The code has expired")
        throw LarkspurError(
            .authorizationFailed,
            "The user has not logged in before the code expired.",
            underlyingError: failure
        )
    }
}

extension DevicePolling.Event {
    /// Creates the event of a failed request; nil if the failure is final.
    fileprivate init?(_ error: LarkspurError) {
        switch error.oauth2Failure?.code {
        case "authorization_pending": self = .pending
        case "slow_down": self = .slowDown
        default:
            let isBusy = error.code == .authorizationFailed && error.statusCode.map { $0 == 429 || $0 >= 500 } ?? false
            guard isBusy || error.code == .timedOut || error.code == .connectionLost else { return nil }
            self = .unavailable
        }
    }
}

/// The response of a device authorization endpoint (RFC 8628, section 3.2).
private struct DeviceAuthorization {
    let code: OAuth2DeviceCode
    let deviceCode: String
    let polling: DevicePolling

    init(_ answer: OAuth2Answer, issuedAt start: Date) throws(LarkspurError) {
        guard answer.isSuccessful else {
            throw Self.error(answer.failure.map { "\($0)" } ?? "status \(answer.status)", answer.failure)
        }
        guard let deviceCode = answer.text("device_code") else { throw Self.error("the response has no device code") }
        // The code is printed in terminals. So it must not contain control characters, nor characters that make it look
        // like another text.
        guard let userCode = answer.text("user_code"), userCode.excerpt == userCode,
            !userCode.unicodeScalars.contains(where: { $0.properties.generalCategory == .format })
        else { throw Self.error("the response has no valid code for the user") }
        // Some servers use the name of an early draft.
        guard let page = Self.link(answer.text("verification_uri") ?? answer.text("verification_url")) else {
            throw Self.error("the response has no valid URL for the user")
        }
        let lifetime = answer.lifetime
        self.deviceCode = deviceCode
        polling = DevicePolling(interval: answer.seconds("interval"), lifetime: lifetime)
        code = OAuth2DeviceCode(
            userCode: userCode,
            verificationURL: page,
            completeVerificationURL: Self.link(answer.text("verification_uri_complete")),
            expirationDate: lifetime.map { start + $0 }
        )
    }

    /// Returns a URL that a browser may open; nil for any other text.
    private static func link(_ text: String?) -> URL? {
        guard let text, let url = URL(string: text), ["http", "https"].contains(url.scheme?.inLowercase ?? ""),
            url.host()?.isEmpty == false
        else { return nil }
        return url
    }

    private static func error(_ reason: String, _ failure: OAuth2Failure? = nil) -> LarkspurError {
        LarkspurError(
            .authorizationFailed,
            "The authorization server gave no code: \(reason).",
            underlyingError: failure
        )
    }
}

extension Clock<Duration> {
    /// Starts to measure time.
    func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
