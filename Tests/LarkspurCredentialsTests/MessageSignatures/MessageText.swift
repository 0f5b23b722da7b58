import HTTPSyntax
import LarkspurTesting
import Testing

@testable import LarkspurCredentials

/// A message as RFC 9421 prints it: a line, fields, and the content behind an empty line.
struct MessageText {
    let start: [Substring]
    private(set) var fields = HTTPHeaders()
    let content: Data

    init(_ text: String) throws {
        let parts = text.components(separatedBy: "\n\n")
        var lines = parts[0].parts(separatedBy: "\n")
        start = lines.removeFirst().parts(separatedBy: " ", maxSplits: 2)
        for line in lines {
            let (name, value) = try #require(line.cut(at: ":"))
            fields.add(.init(name: String(name), value: value.trimmingBlanks))
        }
        content = Data((parts.count > 1 ? parts[1] : "").utf8)
    }

    func request(_ scheme: String = "https") throws -> URLRequest {
        let target = String(start[1])
        let isAbsolute = target.begins(with: "http")
        var request = try URLRequest(
            String(start[0]),
            isAbsolute ? target : "\(scheme)://\(fields["Host"] ?? "")\(target)"
        )
        request.headers = fields
        request.httpBody = content
        return request
    }

    func response() throws -> HTTPURLResponse {
        try .make(status: Int(start[1]) ?? 0, fields)
    }
}

extension HTTPURLResponse {
    static func make(status: Int, _ fields: HTTPHeaders) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "https://example.com/foo"))
        return try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: "1.1", headerFields: fields.dictionary)
        )
    }
}

extension LoopbackServer.Request {
    /// The request as the server reads it.
    func message(at port: UInt16) throws -> URLRequest {
        var request = try URLRequest(method, "http://127.0.0.1:\(port)\(target)")
        request.headers = HTTPHeaders(headers.map { .init(name: $0.name, value: $0.value) })
        return request
    }
}

extension SignedMessage {
    /// Returns the signature with a label in the fields of a message.
    static func signature(
        _ label: String,
        in fields: HTTPHeaders
    ) throws -> (input: SignatureInput, signature: Data) {
        let inputs = try #require(fields["Signature-Input"].flatMap(StructuredField.orderedDictionary))
        let signatures = try #require(fields["Signature"].flatMap(StructuredField.orderedDictionary))
        guard case .innerList(let items, let parameters) = inputs[label],
            case .bytes(let signature) = signatures[label]?.item?.value
        else { throw MessageSignatureFailure(.malformedSignature, "") }
        return (try SignatureInput(reading: items, parameters), signature)
    }
}

extension HTTPHeaders {
    /// Returns the fields of a response with its signature.
    static func signed(
        status: Int = 200,
        _ fields: HTTPHeaders,
        _ input: SignatureInput,
        by key: MessageSignature.Key,
        label: String = "sig1",
        to request: URLRequest? = nil
    ) throws -> HTTPHeaders {
        let message = SignedMessage(try HTTPURLResponse.make(status: status, fields), trailers: nil, to: request)
        let signature = try key.signature(of: try input.base(of: message))
        var signed = fields
        signed["Signature-Input"] = "\(label)=\(input.member.text ?? "")"
        signed["Signature"] = "\(label)=:\(signature.base64EncodedString()):"
        return signed
    }
}
