/// A copy of the caller's configuration that every `URLSession` takes, and what is wrong with it, if anything.
struct SessionConfiguration: Sendable {
    private let configuration: URLSessionConfiguration
    /// Reported by every task that is made with this configuration.
    let error: LarkspurError?

    init(_ original: URLSessionConfiguration) {
        let configuration = Self.copy(original)
        // FoundationNetworking ends the process over names and values that are no strings, and over classes that are no protocols.
        let fields = (original.httpAdditionalHeaders ?? [:]).map { ("\($0.key)", "\($0.value)") }
        var error: LarkspurError?
        do {
            try HTTPHeaders(fields).validate()
            configuration.httpAdditionalHeaders =
                fields.isEmpty ? nil : Dictionary(fields, uniquingKeysWith: { first, _ in first })
        } catch let invalid {
            configuration.httpAdditionalHeaders = nil
            error = invalid
        }
        configuration.protocolClasses = original.protocolClasses?.filter { $0 is URLProtocol.Type }
        self.configuration = configuration
        self.error = error
    }

    /// Another copy, which a session or a caller may change.
    func makeCopy() -> URLSessionConfiguration { Self.copy(configuration) }

    private static func copy(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        configuration.copy() as? URLSessionConfiguration ?? .default
    }
}
