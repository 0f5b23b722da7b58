#if canImport(FoundationNetworking)

/// The outcome that a client may report, by the grammar alone.
extension GeneratedResponse {
    /// The rules by which an outcome is right.
    enum Rules: Sendable {
        /// The rules of RFC 9110 and RFC 9112, with every freedom that they leave to a recipient.
        case standard
        /// The promises of Docs/Reliability.md in addition, with the freedom that is left to versions of libcurl.
        case engine
    }

    enum Failure: String, Sendable, CaseIterable {
        case lost = "connection-lost"
        case malformed = "malformed-response"
        case decoding = "content-decoding-failed"
    }

    struct Expectation: Sendable, Equatable {
        struct Complete: Sendable, Equatable {
            var status: Int
            /// The values by names in lower case.
            var fields: [String: String]
            var content: [UInt8]
            /// The trailers by names in lower case.
            var trailers: [String: String]
        }

        /// The response, if it may be reported as complete; nil if it must not.
        var complete: Complete?
        /// The errors that may be reported.
        var failures: Set<Failure> = []

        /// Excludes completion.
        fileprivate mutating func fail(_ failures: Failure...) {
            complete = nil
            self.failures.formUnion(failures)
        }

        /// Permits errors beside completion.
        fileprivate mutating func tolerate(_ failures: Failure...) { self.failures.formUnion(failures) }
    }

    /// - Parameters:
    ///   - method: The method of the request.
    ///   - isSecure: Whether the connection uses TLS.
    func expectation(method: String, isSecure: Bool, rules: Rules = .engine) -> Expectation {
        let wire = wire(method: method)
        var expected = Expectation(
            complete: Expectation.Complete(
                status: status,
                fields: Self.combined(expectedFields),
                content: hasContent(method) ? plainContent : [],
                trailers: hasContent(method) && framing == .chunks ? Self.combined(trailers) : [:]
            )
        )
        if wire.hasBrokenChunk { expected.fail(.malformed, .lost) }
        // Without a byte, no coding has begun.
        let isCut = framing == .close && wire.bytes.count <= wire.headEnd
        let hasCodedContent = isCoded && hasContent(method) && !codedContent.isEmpty && !isCut
        if isCoded, hasContent(method), !hasCodedContent {
            expected.complete?.content = []
            expected.tolerate(.decoding)
        }
        // Five codings are more than the engine decodes.
        if coding == .five, hasCodedContent {
            if rules == .engine { expected.fail(.decoding) } else { expected.tolerate(.decoding) }
        }
        if rules == .standard {
            // A status of 600 or more is invalid, a line feed alone may be refused, and so may chunks in HTTP/1.0.
            if status >= 600 || lineEnd == "\n" || version == "HTTP/1.0" && framing == .chunks {
                expected.tolerate(.malformed, .lost)
            }
        }
        for mutation in mutations {
            switch mutation {
            // libcurl 7.88 drops a NUL that arrives alone behind an interim response.
            case .brokenStatusLine(let text) where text.hasPrefix("\0") && !interims.isEmpty:
                expected.tolerate(.malformed, .lost)
            case .brokenStatusLine, .protocolChange: expected.fail(.malformed, .lost)
            case .oddStatusLine: expected.tolerate(.malformed, .lost)
            case .interimFlood:
                if rules == .engine { expected.fail(.malformed) } else { expected.tolerate(.malformed, .lost) }
            case .oddField(let fault, _): expected.apply(fault, rules)
            case .earlyEnd, .reset, .cutWithoutNotification, .excess:
                applyEnd(mutation, wire, method, isSecure, &expected)
            case .plainAsCoded, .truncatedCoding, .damagedCoding, .bytesBehindCoding:
                if hasCodedContent { applyCoding(mutation, &expected) }
            default: applyFraming(mutation, method, rules, &expected)
            }
        }
        return expected
    }

    /// The fields without those that only the framing needs.
    private var expectedFields: [Field] {
        var fields = fields
        if mutations.contains(where: { if case .oddField(.folded, _) = $0 { true } else { false } }) {
            fields.append(Field(name: "X-Fault", value: "a b"))
        }
        return fields
    }

    private static func combined(_ fields: [Field]) -> [String: String] {
        Dictionary(fields.map { ($0.name.lowercased(), $0.value) }) { $0 + ", " + $1 }
    }

    // MARK: Framing (RFC 9112, sections 6 and 7)

    private func applyFraming(_ mutation: Mutation, _ method: String, _ rules: Rules, _ expected: inout Expectation) {
        switch mutation {
        case _ where !hasContent(method):
            // The fields announce no content. Whether their values are checked nevertheless is left to the recipient.
            expected.tolerate(.malformed, .lost)
        case .malformedLength, .contradictoryLengths: expected.fail(.malformed, .lost)
        case .shortContent, .missingLastChunk, .missingTrailerEnd:
            expected.fail(.lost)
            if rules == .standard { expected.tolerate(.malformed) }
        case .foreignTransferCoding: expected.fail(.malformed, .lost)
        // The name has a blank behind it, or the value is folded. Versions of libcurl unfold it or not.
        case .obscuredFraming: expected.tolerate(.malformed, .lost)
        case .repeatedLength, .lengthBesideChunks:
            if rules == .standard { expected.tolerate(.malformed, .lost) }
        case .repeatedChunked:
            if rules == .standard || version == "HTTP/1.0" { expected.tolerate(.malformed, .lost) }
        case .longChunkExtension:
            if rules == .engine { expected.fail(.malformed, .lost) } else { expected.tolerate(.malformed, .lost) }
        case .malformedTrailer:
            if rules == .engine { expected.fail(.malformed, .lost) } else { expected.tolerate(.malformed, .lost) }
        default: break
        }
    }

    // MARK: Content codings

    private func applyCoding(_ mutation: Mutation, _ expected: inout Expectation) {
        switch mutation {
        case .bytesBehindCoding: expected.tolerate(.decoding)
        default: expected.fail(.decoding)
        }
    }

    // MARK: The end of the connection (RFC 9112, sections 8 and 9.8)

    private func applyEnd(
        _ mutation: Mutation,
        _ wire: Wire,
        _ method: String,
        _ isSecure: Bool,
        _ expected: inout Expectation
    ) {
        let endsByClosing = hasContent(method) && framing == .close
        let isWhole = wire.bytes.count >= wire.messageEnd
        switch mutation {
        case .earlyEnd where wire.bytes.count < wire.headEnd: expected.fail(.lost, .malformed)
        case .earlyEnd where endsByClosing: applyShorterContent(wire, &expected)
        case .earlyEnd where !isWhole: expected.fail(.lost)
        // A reset may discard bytes that have arrived.
        case .reset where isWhole && !endsByClosing: expected.tolerate(.lost, .malformed)
        case .reset: expected.fail(.lost, .malformed)
        case .cutWithoutNotification where isSecure && endsByClosing: expected.fail(.lost, .malformed)
        default: break
        }
    }

    /// Content that ends with its connection is as long as the connection.
    private func applyShorterContent(_ wire: Wire, _ expected: inout Expectation) {
        let content = Array(wire.bytes[wire.headEnd...])
        guard wire.bytes.count < wire.messageEnd else { return }
        var surplus = 0
        for case .bytesBehindCoding(let count) in mutations { surplus += count }
        if !isCoded {
            expected.complete?.content = content
        } else if wire.bytes.count + surplus < wire.messageEnd, !content.isEmpty {
            expected.fail(.decoding)
        }
    }
}

extension GeneratedResponse.Expectation {
    /// Applies an odd field (RFC 9110, section 5.5; RFC 9112, section 5).
    fileprivate mutating func apply(_ fault: GeneratedResponse.FieldFault, _ rules: GeneratedResponse.Rules) {
        switch fault {
        // A user agent has to replace the fold by a space.
        case .folded: break
        case .endless: fail(.malformed, .lost)
        case .leadingCarriageReturn:
            if rules == .engine { fail(.malformed, .lost) } else { tolerate(.malformed, .lost) }
        case .null, .carriageReturn, .withoutColon, .blankBeforeColon, .withoutName, .malformedName, .long, .tooMany:
            tolerate(.malformed, .lost)
        }
    }
}
#endif
