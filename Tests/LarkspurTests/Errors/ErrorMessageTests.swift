import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("The messages of errors", .timeLimit(.minutes(5)))
struct ErrorMessageTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    /// Sentences as transports, parsers and servers end them.
    static let sentences = ["It failed", "It failed.", "It failed. ", "It failed...", "It failed.\n", ""]

    private static func hasDoubleStop(_ message: String) -> Bool {
        ["..", ".)", ".:", ".;", ". ."].contains(where: message.contains) || message.hasSuffix(" ")
    }

    @Test("A message with a transport's sentence ends with one full stop, for any error code", arguments: sentences)
    func transport(sentence: String) {
        for number in Array(-4000 ... -900) + [NSURLErrorUnknown, 0, 7] {
            let cause = NSError(domain: NSURLErrorDomain, code: number, userInfo: [NSLocalizedDescriptionKey: sentence])
            let message = LarkspurError(transportError: cause).message
            #expect(message.hasSuffix(".") && !Self.hasDoubleStop(message), "\(number): \(message)")
            #expect(!message.contains("()"))
        }
    }

    @Test("An error names a host that was taken for a scheme", arguments: TestTransport.allCases)
    func unsupportedScheme(_ transport: TestTransport) async throws {
        let error = try await transport.makeManager().call(.get, "localhost:8080/x").error
        #expect(error?.code == .unsupportedURL)
        #expect(error?.message.contains("scheme “localhost”") == true, "\(error?.message ?? "")")
    }

    @Test(
        "A parser's sentence becomes part of the message's only sentence",
        arguments: sentences.filter { !$0.isEmpty }
    )
    func parser(sentence: String) throws {
        let corrupted = DecodingError.dataCorrupted(
            .init(
                codingPath: [],
                debugDescription: sentence,
                underlyingError: NSError(domain: "D", code: 1, userInfo: [NSLocalizedDescriptionKey: sentence])
            )
        )
        let mismatch = DecodingError.typeMismatch(Int.self, .init(codingPath: [], debugDescription: sentence))
        let stated = LarkspurError(.responseSerializationFailed, sentence)
        for error in [corrupted, mismatch, stated] as [any Error] {
            let message = SerializationFailure.error("The content is not valid JSON", error).message
            #expect(!Self.hasDoubleStop(message), "\(message)")
        }
        let members = CompoundResponseSerializer.MemberErrors(errors: [stated, stated])
        #expect(members.description == "It failed; It failed")
        #expect(MultipartStream.error(sentence).message == "A stream of a form could not be read: It failed.")
    }

    private struct User: Decodable, Sendable {
        let name: String
    }

    @Test(
        "The error of a typed call has the status and the server's message, and no name of the type",
        arguments: TestTransport.allCases
    )
    func typedCall(_ transport: TestTransport) async throws {
        server.route("/refused", .json(#"{"message": "The name is missing."}"#, status: 422))
        let manager = transport.makeManager(for: server)
        let errors = Recorder<LarkspurError?>()

        manager.get("refused", as: User.self) { _, _ in
            errors.record(nil)
        } failure: { _, error in
            errors.record(error)
        }

        let error = try #require(try await errors.first())
        #expect(error.message == "Request failed: Unprocessable Entity (422): The name is missing")
        #expect(error.localizedDescription == error.message)
        #expect(error.description.hasPrefix("unacceptable-status-code: \(error.message) [GET "))
        #expect(error.underlyingError == nil)
    }

}
