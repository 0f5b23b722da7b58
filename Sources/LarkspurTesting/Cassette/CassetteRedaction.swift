internal import Foundation
internal import HTTPSyntax
internal import Larkspur

/// The creation of interactions without secrets.
struct CassetteRedaction: Sendable {
    let redaction: Redaction

    /// Returns a request as it is recorded and compared.
    /// - Parameter request: The request, with its content as `httpBody`.
    func request(_ request: URLRequest) -> Interaction.Request {
        var fields = request.allHTTPHeaderFields ?? [:]
        let typeName = fields.keys.first { $0.lowercased() == "content-type" }
        var content = request.httpBody ?? Data()
        if let typeName, let type = fields[typeName], let (newType, newContent) = Self.withFixedBoundary(type, content)
        {
            fields[typeName] = newType
            content = newContent
        }
        return Interaction.Request(
            method: request.httpMethod ?? "GET",
            url: request.url.map(redaction.text(of:)) ?? "",
            headers: self.fields(fields),
            body: body(content, type: typeName.flatMap { fields[$0] })
        )
    }

    /// Returns a response as it is recorded.
    func response(_ response: HTTPURLResponse, _ content: Data) -> Interaction.Response {
        var fields: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { fields[name] = value }
        }
        return Interaction.Response(
            status: response.statusCode,
            headers: self.fields(fields),
            body: body(content, type: response.contentType)
        )
    }

    private func body(_ content: Data, type: String?) -> RecordedBody {
        RecordedBody(redaction.content(content, type: type), type: type)
    }

    private func fields(_ fields: [String: String]) -> [Interaction.Field] {
        fields.sorted { ($0.key.lowercased(), $0.key) < ($1.key.lowercased(), $1.key) }.map { name, value in
            Interaction.Field(name: name, value: redaction.value(of: HTTPHeaders.Field(name: name, value: value)))
        }
    }

    /// Returns a multipart form's type and content with a fixed boundary; nil for other types. Clients choose a random
    /// boundary, with which no request would match a recorded one.
    private static func withFixedBoundary(_ type: String, _ content: Data) -> (String, Data)? {
        let parameters = FieldParameters(type)
        guard parameters.leading.lowercased().begins(with: "multipart/"),
            let boundary = parameters.values["boundary"], !boundary.isEmpty
        else { return nil }
        func replaced(_ data: Data) -> Data {
            let (old, new) = (Data(boundary.utf8), Data("boundary-of-the-cassette".utf8))
            var result = Data()
            var position = data.startIndex
            while let range = data.range(of: old, in: position..<data.endIndex) {
                result += data[position..<range.lowerBound] + new
                position = range.upperBound
            }
            return result + data[position...]
        }
        return (String(decoding: replaced(Data(type.utf8)), as: UTF8.self), replaced(content))
    }
}
