internal import HTTPSyntax
public import Foundation

extension LoopbackServer.Request {
    /// One part of a `multipart/form-data` body (RFC 7578).
    public struct Part: Sendable, Hashable {
        /// The part's header.
        public var headers: LoopbackServer.Fields
        /// The part's bytes.
        public var data: Data

        /// The name of the form's control.
        public var name: String? { disposition["name"] }
        /// The name of the file, if the part is a file.
        public var filename: String? { disposition["filename"] }

        private var disposition: [String: String] {
            FieldParameters(headers["Content-Disposition"] ?? "").values
        }
    }

    /// The body as text, decoded as UTF-8 if it is valid, otherwise as ISO 8859-1.
    public var text: String {
        String(networkBytes: body)
    }

    /// The items of an `application/x-www-form-urlencoded` body, in order; empty for any other type.
    public var form: [URLQueryItem] {
        contentType == "application/x-www-form-urlencoded" ? FormDecoding.items(of: text) : []
    }

    /// The parts of a `multipart/form-data` body, in order; empty for any other type and if the body is malformed.
    public var parts: [Part] {
        guard contentType == "multipart/form-data", let boundary = contentTypeParameters.values["boundary"] else {
            return []
        }
        return Multipart(body, boundary: boundary)?.parts ?? []
    }

    /// Decodes a JSON body.
    ///
    /// - Throws: The error of `JSONDecoder`, if the body is not JSON or cannot be decoded into the type.
    public func json<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: body)
    }

    var contentType: String {
        contentTypeParameters.leading.lowercased()
    }

    private var contentTypeParameters: FieldParameters {
        FieldParameters(headers["Content-Type"] ?? "")
    }
}
