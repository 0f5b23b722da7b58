/// A copy of the caller's configuration that every `URLSession` takes, and what is wrong with it, if anything.
struct SessionConfiguration: Sendable {
    private let configuration: URLSessionConfiguration
    /// Reported by every task that is made with this configuration.
    let error: LarkspurError?

    init(_ original: URLSessionConfiguration) {
        let configuration = Self.copy(original)
        // FoundationNetworking ends the process over names and values that are no strings, and over classes that are no
        // protocols.
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

    /// Another copy, which a session or a caller may change.
    func makeCopy() -> URLSessionConfiguration { Self.copy(configuration) }

    private static func copy(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        configuration.copy() as? URLSessionConfiguration ?? .default
    }
}
