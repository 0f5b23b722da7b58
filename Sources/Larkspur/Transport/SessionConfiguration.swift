import HTTPSyntax

/// A copy of the caller's configuration that every `URLSession` accepts, and the error in the original, if any.
struct SessionConfiguration: Sendable {
    private let configuration: URLSessionConfiguration
    /// The configuration without the separated credentials.
    private let configurationOfSessions: URLSessionConfiguration
    /// The error of every task that is created with this configuration; nil if the configuration is valid.
    let error: LarkspurError?
    /// The additional fields that the session manager adds to requests, because not every origin may get them.
    let credentials: HTTPHeaders

    /// - Parameter separatesCredentials: True to separate the additional fields that carry credentials from the
    ///   configuration of sessions.
    init(_ original: URLSessionConfiguration, separatesCredentials: Bool) {
        let configuration = Self.copy(original)
        configuration.protocolClasses = original.protocolClasses?.filter { $0 is URLProtocol.Type }
        let configurationOfSessions = Self.copy(configuration)
        // FoundationNetworking terminates the process if a name or value is not a string, or if a protocol class is not
        // a subclass of URLProtocol.
        let fields = HTTPHeaders(
            (original.httpAdditionalHeaders ?? [:]).map { HTTPHeaders.Field(name: "\($0.key)", value: "\($0.value)") }
        )
        do throws(LarkspurError) {
            try fields.validate()
            let separated = separatesCredentials ? fields.credentials : []
            configuration.httpAdditionalHeaders = fields.dictionary
            configurationOfSessions.httpAdditionalHeaders = fields.removing(separated).dictionary
            credentials = HTTPHeaders(separated)
            error = nil
        } catch {
            configuration.httpAdditionalHeaders = nil
            configurationOfSessions.httpAdditionalHeaders = nil
            credentials = HTTPHeaders()
            self.error = error
        }
        self.configuration = configuration
        self.configurationOfSessions = configurationOfSessions
    }

    /// Returns another copy, which the caller may change.
    func makeCopy() -> URLSessionConfiguration { Self.copy(configuration) }

    /// Returns another copy for a session, which may change it. It does not have the separated credentials.
    func makeSessionCopy() -> URLSessionConfiguration { Self.copy(configurationOfSessions) }

    private static func copy(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        configuration.copy() as? URLSessionConfiguration ?? .default
    }
}
