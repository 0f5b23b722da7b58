import HTTPSyntax

/// The place and the format of the parameters of one call. They override the settings of the session manager.
///
///     manager.post("search", parameters: ["q": "bees"], options: CallOptions(parameterEncoding: .query))
///     manager.post("books", parameters: ["title": "Bees"], options: CallOptions(parameterEncoding: .json))
///
/// If a call has a `body`, its parameters are in the query, whatever the encoding: the body is the content.
public struct ParameterEncoding: Sendable {
    private enum Place {
        case uri, content
    }

    private let place: Place
    private var serializer: (any RequestSerializer)?
    private var queryEncoder: QueryEncoder?

    /// Parameters in the query of the URL, whatever the method, with the encoder of the session manager.
    public static let query = Self(place: .uri)

    /// Returns the encoding of parameters in the query of the URL, whatever the method.
    /// - Parameter encoder: The encoder of the query.
    public static func query(_ encoder: QueryEncoder) -> Self { Self(place: .uri, queryEncoder: encoder) }

    /// Parameters as a form in the content, whatever the method, with the encoder of the session manager.
    public static let form = content(.form)

    /// Returns the encoding of parameters as a form in the content, whatever the method.
    /// - Parameter encoder: The encoder of the form.
    public static func form(_ encoder: QueryEncoder) -> Self {
        Self(place: .content, serializer: HTTPRequestSerializer(), queryEncoder: encoder)
    }

    /// Parameters as JSON in the content, whatever the method.
    public static let json = content(.json)

    /// Returns the encoding of parameters in the content, whatever the method.
    /// - Parameter serializer: The serializer that writes the content.
    public static func content(_ serializer: some RequestSerializer) -> Self {
        Self(place: .content, serializer: serializer)
    }

    private init(place: Place, serializer: (any RequestSerializer)? = nil, queryEncoder: QueryEncoder? = nil) {
        self.place = place
        self.serializer = serializer
        self.queryEncoder = queryEncoder
    }

    /// Returns the builder of a request with a method, whose parameters are encoded in this way.
    func applied(to builder: RequestBuilder, for method: HTTPMethod) -> RequestBuilder {
        var builder = builder
        switch place {
        case .uri: builder.settings.methodsEncodingParametersInURI.insert(method)
        case .content:
            // The settings compare methods without regard to case.
            builder.settings.methodsEncodingParametersInURI = builder.settings.methodsEncodingParametersInURI.filter {
                $0.rawValue.uppercased() != method.rawValue.uppercased()
            }
        }
        if let serializer { builder.serializer = serializer }
        if let queryEncoder {
            builder.settings.queryEncoder = queryEncoder
            builder.settings.customQuery = nil
        }
        return builder
    }
}
