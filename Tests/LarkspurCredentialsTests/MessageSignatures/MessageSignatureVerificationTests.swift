import HTTPSyntax
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCredentials

/// The verification of responses as a value.
@Suite("Verification of message signatures")
struct MessageSignatureVerificationTests {
    typealias Component = MessageSignature.Component
    typealias Reason = MessageSignatureFailure.Reason

    static let now: Int64 = 1_700_000_000
    static let key = MessageSignature.Key.hmac(Data("secret".utf8), id: "k")
    static let content = Data("content".utf8)
    static let fields: HTTPHeaders = [
        "Content-Type": "text/plain",
        "Content-Digest": "sha-256=:\(Data(SHA256.hash(content)).base64EncodedString()):",
    ]
    static let components: [Component] = [.status, .contentDigest, "content-type"]

    private func verification(_ change: (inout MessageSignatureVerification) -> Void = { _ in })
        -> MessageSignatureVerification
    {
        var verification = MessageSignatureVerification(.hmac(Data("secret".utf8), id: "k"))
        verification.date = { Date(timeIntervalSince1970: Double(Self.now)) }
        change(&verification)
        return verification
    }

    private func parameters(
        _ others: [(TextKey, StructuredField.BareItem)] = [],
        created: Int64? = now
    ) -> StructuredField.Parameters {
        var parameters = StructuredField.Parameters()
        if let created { parameters.set("created", .integer(created)) }
        parameters.set("keyid", .string("k"))
        for (key, value) in others { parameters.set(key, value) }
        return parameters
    }

    /// Returns the reason for which a response is refused; nil if it is acceptable.
    private func refusal(
        of fields: HTTPHeaders,
        status: Int = 200,
        content: Data = content,
        to request: URLRequest? = nil,
        trailers: HTTPHeaders? = nil,
        by verification: MessageSignatureVerification? = nil
    ) throws -> Reason? {
        let response = try HTTPURLResponse.make(status: status, fields)
        let verification = verification ?? self.verification()
        return reason { try verification.verify(response, content: content, to: request, trailers: trailers) }
    }

    private func signed(
        _ components: [Component] = components,
        _ parameters: StructuredField.Parameters? = nil,
        fields: HTTPHeaders = fields,
        status: Int = 200,
        to request: URLRequest? = nil
    ) throws -> HTTPHeaders {
        let input = SignatureInput(components, parameters ?? self.parameters())
        return try .signed(status: status, fields, input, by: Self.key, to: request)
    }

    @Test("A signed response is acceptable, and with other fields, status or content it is not")
    func changes() throws {
        let signed = try signed()
        #expect(try refusal(of: signed) == nil)
        #expect(try refusal(of: signed, status: 201) == .signatureMismatch)
        #expect(try refusal(of: signed, content: Data("Content".utf8)) == .digestMismatch)
        #expect(try refusal(of: signed, content: Data()) == .digestMismatch)
        var changed = signed
        changed["Content-Type"] = "text/html"
        #expect(try refusal(of: changed) == .signatureMismatch)
        changed["Content-Type"] = nil
        #expect(try refusal(of: changed) == .componentUnavailable)
        changed = signed
        changed["X-Other"] = "not covered"
        #expect(try refusal(of: changed) == nil)
        changed["Content-Encoding"] = "gzip"
        #expect(try refusal(of: changed) == .digestUnusable)
        changed["Content-Encoding"] = "Identity"
        #expect(try refusal(of: changed) == nil)
    }

    @Test("The times of a signature are limited, with a tolerance")
    func times() throws {
        for (created, expires, expected) in [
            (0, nil, nil), (30, nil, nil), (31, nil, .notYetValid), (-330, nil, nil), (-331, nil, .tooOld),
            (-10, -30, nil), (-10, -31, .expired), (-10, 1, nil), (nil, nil, .missingCreationTime),
            (nil, 10, .missingCreationTime),
        ] as [(Int64?, Int64?, Reason?)] {
            let others = expires.map { [(TextKey("expires"), StructuredField.BareItem.integer(Self.now + $0))] } ?? []
            let fields = try signed(Self.components, parameters(others, created: created.map { Self.now + $0 }))
            #expect(try refusal(of: fields) == expected, "\(created ?? 0) \(expires ?? 0)")
        }
        let old = try signed(Self.components, parameters(created: 0))
        #expect(try refusal(of: old, by: verification { $0.maximumAge = nil }) == nil)
        #expect(try refusal(of: old, by: verification { $0.maximumAge = .seconds(2_000_000_000) }) == nil)
        let undated = try signed(Self.components, parameters(created: nil))
        #expect(try refusal(of: undated, by: verification { $0.maximumAge = nil }) == nil)
        let ahead = try signed(Self.components, parameters(created: Self.now + 1))
        #expect(try refusal(of: ahead, by: verification { $0.clockTolerance = .zero }) == .notYetValid)
    }

    @Test("Key, algorithm, label and tag must be the required ones")
    func requirements() throws {
        let plain = try signed()
        let named = try signed(Self.components, parameters([("alg", .string("hmac-sha256")), ("tag", .string("t"))]))
        #expect(try refusal(of: named) == nil)
        let other = try signed(Self.components, parameters([("alg", .string("ed25519"))]))
        #expect(try refusal(of: other) == .wrongAlgorithm)
        #expect(try refusal(of: plain, by: verification { $0.keys = [] }) == .unknownKey)
        let wrong = verification { $0.keys = [.hmac(Data("secret".utf8), id: "l")] }
        #expect(try refusal(of: plain, by: wrong) == .unknownKey)
        let others = verification { $0.keys = [.hmac(Data("x".utf8), id: "k")] }
        #expect(try refusal(of: plain, by: others) == .signatureMismatch)
        let rotated = verification { $0.keys.insert(.hmac(Data("new".utf8), id: "k"), at: 0) }
        #expect(try refusal(of: plain, by: rotated) == nil)
        #expect(try refusal(of: plain, by: verification { $0.label = "sig1" }) == nil)
        #expect(try refusal(of: plain, by: verification { $0.label = "sig2" }) == .missingSignature)
        #expect(try refusal(of: named, by: verification { $0.tag = "t" }) == nil)
        for fields in [plain, try signed(Self.components, parameters([("tag", .token("t"))]))] {
            #expect(try refusal(of: fields, by: verification { $0.tag = "t" }) == .missingSignature)
        }
        let anonymous = try signed(Self.components, ["created": .integer(Self.now)])
        #expect(try refusal(of: anonymous) == .unknownKey)
        #expect(try refusal(of: anonymous, by: verification { $0.keys = [.hmac(Data("secret".utf8), id: nil)] }) == nil)
        #expect(
            try refusal(of: plain, by: verification { $0.keys = [.hmac(Data("secret".utf8), id: nil)] }) == .unknownKey
        )
    }

    @Test("A required component must be covered, and those of the request must be those of the request")
    func coverage() throws {
        #expect(try refusal(of: signed([.status])) == .componentNotCovered)
        #expect(try refusal(of: signed([.contentDigest])) == .componentNotCovered)
        #expect(try refusal(of: signed([])) == .componentNotCovered)
        #expect(try refusal(of: signed([]), by: verification { $0.requiredComponents = [] }) == nil)
        for digest in [Component.contentDigest.strict, .contentDigest.bytes, .contentDigest.member("sha-256")] {
            #expect(try refusal(of: signed([.status, digest])) == nil)
            #expect(try refusal(of: signed([.status, digest]), content: Data()) == .digestMismatch)
        }
        var request = try URLRequest("GET", "https://example.com/foo?a", ["X-Nonce": "1"])
        let bound = verification { $0.requiredComponents += [.targetURI.ofRequest, Component("X-Nonce").ofRequest] }
        let fields = try signed(Self.components + bound.requiredComponents.suffix(2), to: request)
        #expect(try refusal(of: fields, to: request, by: bound) == nil)
        #expect(try refusal(of: signed(), to: request, by: bound) == .componentNotCovered)
        #expect(try refusal(of: fields, by: bound) == .componentUnavailable)
        request.headers["X-Nonce"] = "2"
        #expect(try refusal(of: fields, to: request, by: bound) == .signatureMismatch)
        #expect(
            try refusal(of: fields, to: try URLRequest("GET", "https://example.com/foo?b", ["X-Nonce": "1"]), by: bound)
                == .signatureMismatch
        )
    }

    @Test("A response that has no content needs no digest")
    func withoutContent() throws {
        let head = try URLRequest("HEAD", "https://example.com/")
        #expect(try refusal(of: signed([.status], status: 204), status: 204, content: Data()) == nil)
        #expect(try refusal(of: signed([.status], status: 304), status: 304, content: Data()) == nil)
        #expect(try refusal(of: signed(), content: Data(), to: head) == nil)
        #expect(try refusal(of: signed([.status]), content: Data()) == .componentNotCovered)
    }

    @Test("Digests in the trailers are compared, and digests that are not known are not enough")
    func digests() throws {
        let digest = Self.fields["Content-Digest"] ?? ""
        let trailers: HTTPHeaders = ["Content-Digest": digest]
        let input = SignatureInput([.status, .contentDigest.trailer], parameters())
        let message = SignedMessage(try .make(status: 200, [:]), trailers: trailers, to: nil)
        let signature = try Self.key.signature(of: try input.base(of: message)).base64EncodedString()
        let fields: HTTPHeaders = [
            "Signature-Input": "a=\(input.member.text ?? "")", "Signature": "a=:\(signature):",
        ]
        #expect(try refusal(of: fields, trailers: trailers) == nil)
        #expect(try refusal(of: fields, content: Data(), trailers: trailers) == .digestMismatch)
        #expect(try refusal(of: fields) == .componentUnavailable)
        for (text, expected) in [
            ("md5=:AQ==:", Reason.digestUnusable), ("\(digest), sha-512=:AQ==:", .digestMismatch),
            ("a", .digestUnusable),
            ("x=:AQ==:, \(digest)", nil),
        ] {
            let fields = try signed([.status, .contentDigest], fields: ["Content-Digest": text])
            #expect(try refusal(of: fields) == expected, "\(text)")
        }
        let other = try signed(
            [.status, .contentDigest.member("x")],
            fields: ["Content-Digest": "x=:AQ==:, \(digest)"]
        )
        #expect(try refusal(of: other) == .digestUnusable)
    }

    /// Returns a field with the required components, others, and parameters.
    private static func input(_ components: String, _ parameters: String = ";created=1700000000") -> String {
        "sig1=(\"@status\" \"content-digest\"\(components));keyid=\"k\"\(parameters)"
    }

    @Test("Malformed fields are refused by name")
    func malformed() throws {
        let valid = try signed()
        let (input, signature) = (valid["Signature-Input"] ?? "", valid["Signature"] ?? "")
        for (text, expected) in [
            (nil, Reason.unmatchedLabel), ("sig1=:A*==:", .malformedSignature), ("sig1=1", .malformedSignature),
            (signature + ",", .malformedSignature), ("sig1=:é:", .malformedSignature),
            ("\(signature), \(signature)", .repeatedName), ("\(signature), b=:AQ==:", .unmatchedLabel),
            (signature.replacingOccurrences(of: "sig1", with: "sig2"), .unmatchedLabel),
        ] as [(String?, Reason)] {
            var fields = valid
            fields["Signature"] = text
            #expect(try refusal(of: fields) == expected, "\(text ?? "")")
        }
        for (text, expected) in [
            (nil, Reason.unmatchedLabel), ("\(input), \(input)", .repeatedName), ("sig1=1", .malformedSignature),
            (input + "é", .malformedSignature), ("(", .malformedSignature), (input + ";keyid=\"k\"", .repeatedName),
            (input + ";created=1700000000", .repeatedName), (input + ";created=\"a\"", .repeatedName),
            (Self.input("", ";created=1.5"), .malformedSignature),
            (Self.input("", ";created=1700000000;alg=a"), .malformedSignature),
            (Self.input("", ";created=1700000000;expires=a"), .malformedSignature),
            (Self.input(#" "@status""#), .repeatedName), (Self.input(#" "@method";req;req"#), .repeatedName),
            (Self.input(#" "content-type";x"#), .unknownComponent),
            (Self.input(#" "content-type";sf=?0"#), .unknownComponent),
            (Self.input(#" "Content-Type""#), .malformedSignature),
            (Self.input(" content-type"), .malformedSignature),
            (Self.input(#" "@signature-params""#), .unknownComponent), (Self.input(#" "@method""#), .unknownComponent),
        ] as [(String?, Reason)] {
            var fields = valid
            fields["Signature-Input"] = text
            #expect(try refusal(of: fields) == expected, "\(text ?? "")")
        }
        #expect(try refusal(of: Self.fields) == .missingSignature)
        #expect(try refusal(of: ["Signature": "", "Signature-Input": " "]) == .missingSignature)
    }

    @Test("Of several signatures one must be acceptable, and the number that is verified is limited")
    func severalSignatures() throws {
        let valid = try signed()
        let (input, signature) = (valid["Signature-Input"] ?? "", valid["Signature"] ?? "")
        func fields(_ count: Int, keyID: String) -> HTTPHeaders {
            var fields = valid
            let others = (0..<count).map { number in
                "o\(number)=(\"@status\" \"content-digest\");created=1700000000;keyid=\"\(keyID)\""
            }
            fields["Signature-Input"] = (others + [input]).joined(separator: ", ")
            fields["Signature"] = ((0..<count).map { "o\($0)=:AQ==:" } + [signature]).joined(separator: ",")
            return fields
        }
        #expect(try refusal(of: fields(7, keyID: "k")) == nil)
        #expect(try refusal(of: fields(8, keyID: "k")) == .tooManySignatures)
        #expect(try refusal(of: fields(8, keyID: "k"), by: verification { $0.label = "sig1" }) == nil)
        #expect(try refusal(of: fields(1_000, keyID: "x")) == nil)
    }

    @Test("A response with one changed byte in a covered component is refused", .seeded)
    func randomMessages() throws {
        var generator = SeededGenerator(48)
        for round in 0..<300 {
            let content = generator.bytes(Int.random(in: 0...40, using: &generator))
            var fields: HTTPHeaders = [
                "Content-Digest": "sha-256=:\(Data(SHA256.hash(content)).base64EncodedString()):"
            ]
            let names = (0..<Int.random(in: 1...6, using: &generator)).map { "x-field-\($0)" }
            for name in names {
                let letters = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
                    UInt8.random(in: 0x21...0x7E, using: &generator)
                }
                fields[name] = String(decoding: letters, as: UTF8.self)
            }
            let path = generator.bytes(4).hexadecimal
            let request = try URLRequest("GET", "https://example.com/\(path)?q=\(path)")
            var components = [.status, .contentDigest, .targetURI.ofRequest] + names.map { Component($0) }
            components.shuffle(using: &generator)
            let status = Int.random(in: 200...599, using: &generator)
            let signed = try signed(components, fields: fields, status: status, to: request)
            guard status != 204, status != 304 else { continue }
            #expect(try refusal(of: signed, status: status, content: content, to: request) == nil, "\(round)")
            var changed = signed
            let name =
                (names + ["Content-Digest", "Signature", "Signature-Input"]).randomElement(using: &generator) ?? ""
            var bytes = Array((changed[name] ?? "").utf8)
            // The last digit of Base64 has bits that do not count.
            let place = Int.random(in: 0..<min(bytes.count, 40), using: &generator)
            bytes[place] = bytes[place] == UInt8(ascii: "a") ? UInt8(ascii: "b") : UInt8(ascii: "a")
            changed[name] = String(decoding: bytes, as: UTF8.self)
            let refusal = try refusal(of: changed, status: status, content: content, to: request)
            #expect(refusal != nil, "\(round): \(name) \(changed[name] ?? "")")
            let other = try URLRequest("GET", "https://example.com/\(path)x?q=\(path)")
            #expect(try self.refusal(of: signed, status: status, content: content, to: other) == .signatureMismatch)
            #expect(
                try self.refusal(of: signed, status: status, content: content + [0], to: request) == .digestMismatch
            )
        }
    }

    @Test(
        "The cost of refusing grows with the length of the fields",
        .enabled(if: Growth.isMeasured),
        arguments: [
            "\"x%d\" ", "\"x\";key=\"k%d\" ", "\"@query-param\";name=\"q%d\";req ", "\"x\";req;p%d ",
            "\"@status\";p%d=:AQ==: ",
        ]
    )
    func cost(component: String) throws {
        let request = try URLRequest("GET", "https://a/?" + (0..<20_000).map { "q\($0)=1" }.joined(separator: "&"))
        let verification = verification { $0.requiredComponents = [] }
        let values = (0..<20_000).map { "k\($0)=1" }.joined(separator: ",")
        let make = { (size: Int) -> HTTPURLResponse? in
            let count = size / (component.utf8.count + 3)
            let components = (0..<count).map { component.replacingOccurrences(of: "%d", with: "\($0)") }.joined()
            var fields = [
                "X": values, "Signature-Input": "a=(\(components.trimmingBlanks));created=1700000000;keyid=\"k\"",
                "Signature": "a=:AQ==:",
            ]
            for index in 0..<count where component.begins(with: "\"x%d\"") { fields["x\(index)"] = "1" }
            return try? HTTPURLResponse.make(status: 200, HTTPHeaders(fields))
        }
        let growth = Growth.factor(of: make) { response in
            guard let response else { return }
            let refusal = reason { try verification.verify(response, content: Data(), to: request) }
            #expect(refusal != nil)
        }
        #expect(growth < Growth.linear)
    }

    @Test("Ten thousand components are refused")
    func manyComponents() throws {
        var fields = try signed()
        fields["Signature-Input"] = Self.input((0..<10_000).map { " \"x-\($0)\"" }.joined())
        #expect(try refusal(of: fields) == .componentUnavailable)
    }
}
