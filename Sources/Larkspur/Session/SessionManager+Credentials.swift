internal import HTTPSyntax

/// The credentials of a session manager: those among its headers, and those among the additional fields of its
/// configuration. With a base URL, they are sent only to its origin, and to the origins that the settings name.
extension SessionManager {
    /// Returns the builder of a request. If the request goes to an origin that does not get the manager's credentials,
    /// the headers of the builder have none.
    /// - Returns: The builder, and whether the origin of the URL made no difference.
    func builder(of draft: RequestDraft, for url: URL) -> (builder: RequestBuilder, isCommon: Bool) {
        var builder = self.builder.value
        guard !scope.isAtBase(url) else { return (builder, true) }
        let credentials = builder.headers.credentials
        guard !credentials.isEmpty else { return (builder, true) }
        if !scope.contains(url, or: builder.credentialOrigins, secured: sessions.secured) {
            builder.headers = builder.headers.removing(credentials)
            reportWithheld(credentials.filter { draft.headers?[$0.name] == nil }, draft.method.rawValue, url)
        }
        return (builder, false)
    }

    /// Adds the credentials among the configuration's additional fields to a request that goes to an origin that gets
    /// them. Existing fields of the request stay.
    func addCredentials(to request: inout URLRequest) {
        guard !sessions.credentials.isEmpty, let url = request.url else { return }
        guard scope.contains(url, or: builder.read(\.settings.credentialOrigins), secured: sessions.secured) else {
            let withheld = sessions.credentials.filter { request.value(forHTTPHeaderField: $0.name) == nil }
            return reportWithheld(withheld, request.httpMethod ?? "GET", url)
        }
        request.setFields(sessions.credentials, keepsOwn: true)
    }

    /// Adds these credentials to the request of a transfer.
    /// - Parameter request: The request; nil for the request in the resume data, which contains no credentials.
    func addCredentials(to request: inout URLRequest?, of template: TransferTemplate) {
        guard !sessions.credentials.isEmpty, var own = request ?? template.requestOfResumeData else { return }
        addCredentials(to: &own)
        request = own
    }

    /// In debug builds, reports the first withheld credentials of an origin in one line.
    private func reportWithheld(_ fields: [HTTPHeaders.Field], _ method: String, _ url: URL) {
        let environment = environment
        guard !fields.isEmpty, let write = environment.failureWriter, scope.isFirst(url) else { return }
        let names = fields.map(\.name).joined(separator: ", ")
        let line =
            "Larkspur: \(method) \(LarkspurError.redacted(url)) is sent without the manager's \(names), "
            + "because its origin is not that of the base URL. Name the origin in RequestSettings.credentialOrigins, "
            + "or pass the field with the call. Set SessionManager.reportsUnhandledFailures to false for no such line."
        environment.settings.completionQueue.async { write(line.onOneLine) }
    }
}
