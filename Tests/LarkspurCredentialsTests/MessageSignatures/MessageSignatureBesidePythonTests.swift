import HTTPSyntax
import Testing

@testable import LarkspurCredentials

/// Messages with the signatures of http-message-signatures, from
/// `Tests/Credentials/message_signatures_beside_python.py`.
@Suite("Message signatures beside http-message-signatures")
struct MessageSignatureBesidePythonTests {
    private struct Case: Decodable {
        let method, url, input, signature, algorithm, key: String
        let requestFields: [String: String]
        let status: Int?
        let responseFields: [String: String]?

        var message: SignedMessage {
            get throws {
                let request = try URLRequest(method, url, requestFields)
                guard request.url?.absoluteString == url else { throw URLError(.badURL) }
                guard let status else { return SignedMessage(request) }
                let response = try HTTPURLResponse.make(status: status, HTTPHeaders(responseFields ?? [:]))
                return SignedMessage(response, trailers: nil, to: request)
            }
        }

        var verification: MessageSignatureVerification.Key {
            get throws {
                if algorithm == "hmac-sha256" { return .hmac(Data(base64Encoded: key) ?? Data(), id: "k") }
                let algorithms: [String: SignatureAlgorithm] = [
                    "rsa-pss-sha512": .rsaPSSSHA512, "rsa-v1_5-sha256": .rsaPKCS1SHA256,
                    "ecdsa-p256-sha256": .ecdsaP256SHA256, "ecdsa-p384-sha384": .ecdsaP384SHA384, "ed25519": .ed25519,
                ]
                return .publicKey(try VerificationKey(pem: key), with: try #require(algorithms[algorithm]), id: "k")
            }
        }
    }

    private static let file = ProcessInfo.processInfo.environment["LARKSPUR_MESSAGE_SIGNATURES"]

    @Test("The signatures of random messages are valid", .enabled(if: file != nil))
    func signatures() throws {
        let content = try Data(contentsOf: URL(fileURLWithPath: try #require(Self.file)))
        let lines = content.split(separator: UInt8(ascii: "\n"))
        var failures = 0
        for line in lines {
            let test = try JSONDecoder().decode(Case.self, from: line)
            do {
                let label = String(test.signature.before("="))
                let fields: HTTPHeaders = ["Signature-Input": test.input, "Signature": test.signature]
                let (input, signature) = try SignedMessage.signature(label, in: fields)
                let base = try input.base(of: try test.message)
                try test.verification.verify(signature, of: base)
                // The parameters are written as they were read.
                #expect(input.member.text == String(test.input.dropFirst(label.utf8.count + 1)))
            } catch {
                failures += 1
                if failures <= 3 { Issue.record("\(String(decoding: line, as: UTF8.self))\n\(error)") }
            }
        }
        #expect(failures == 0 && lines.count >= 1000)
    }
}
