import HTTPSyntax

/// A copy of the caller's configuration that every `URLSession` accepts, and the error in the original, if any.
struct SessionConfiguration: Sendable {
    private let configuration: URLSessionConfiguration
    /// The error of every task that is created with this configuration; nil if the configuration is valid.
    let error: LarkspurError?

    init(_ original: URLSessionConfiguration) {
        let configuration = Self.copy(original)
        // FoundationNetworking terminates the process if a name or value is not a string, or if a protocol class is not
        // a subclass of URLProtocol.
        let fields = HTTPHeaders(
            (original.httpAdditionalHeaders ?? [:]).map { HTTPHeaders.Field(name: "\($0.key)", value: "\($0.value)") }
        )
        do throws(LarkspurError) {
            try fields.validate()
            configuration.httpAdditionalHeaders = fields.dictionary
            error = nil
        } catch {
            configuration.httpAdditionalHeaders = nil
            self.error = error
        }
        configuration.protocolClasses = original.protocolClasses?.filter { $0 is URLProtocol.Type }
        self.configuration = configuration
    }

    /// Returns another copy, which a session or a caller may change.
    func makeCopy() -> URLSessionConfiguration { Self.copy(configuration) }

    private static func copy(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        configuration.copy() as? URLSessionConfiguration ?? .default
    }
}
