internal import Foundation
public import HTTPTypes
public import Larkspur

extension HTTPHeaders {
    /// Creates headers from fields. Fields with the same name become one, with their values in order.
    /// - Parameter fields: The fields.
    public init(_ fields: HTTPFields) {
        self.init()
        for field in fields { add(Field(name: field.name.rawName, value: field.value)) }
    }
}

extension HTTPFields {
    /// Creates fields from headers, in their order. A field whose name is no token is left out.
    /// - Parameter headers: The headers.
    public init(_ headers: HTTPHeaders) {
        self.init()
        for field in headers {
            guard let name = HTTPField.Name(field.name) else { continue }
            // Larkspur reads the bytes of a field as ISO 8859-1; a field of HTTPTypes has the bytes.
            append(HTTPField(name: name, value: field.value.data(using: .isoLatin1) ?? Data(field.value.utf8)))
        }
    }
}

extension SessionTask {
    /// The trailers of the response; nil before its end, and if there are none.
    public var trailerFields: HTTPFields? { trailers.map { HTTPFields($0) } }
}

extension DataResponse {
    /// The trailers of the response; nil if there are none.
    public var trailerFields: HTTPFields? { trailers.map { HTTPFields($0) } }
}

extension DownloadResponse {
    /// The trailers of the response; nil if there are none.
    public var trailerFields: HTTPFields? { trailers.map { HTTPFields($0) } }
}

extension ContentChunks {
    /// The trailers of the response; nil before the end of its content, and if there are none.
    public var trailerFields: HTTPFields? { trailers.map { HTTPFields($0) } }
}
