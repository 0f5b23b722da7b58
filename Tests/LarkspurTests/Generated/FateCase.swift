#if canImport(FoundationNetworking)
/// A generated case for a comparison: usual in everything but its deviations, or valid and unusual in one way, so that
/// its fate has one reason.
struct FateCase: Sendable {
    /// The unusual ways of a valid response.
    private enum Trait: String, CaseIterable {
        case none = "valid, and usual"
        case tightColon = "valid: no blank behind colons"
        case padding = "valid: blanks behind values"
        case emptyValue = "valid: an empty value"
        case noReason = "valid: no reason phrase"
        case interim = "valid: an interim response before it"
        case lineFeeds = "line feeds alone"
        case oldVersion = "valid: HTTP/1.0"
        case unassignedStatus = "status 999"
        case chunkExtension = "valid: chunk extensions"
        case trailers = "valid: trailers"
        case coding = "valid: a content coding"
        case unknownCoding = "valid: an unknown content coding"
    }

    let generated: GeneratedCase
    /// The row of the table.
    let row: String

    /// - Parameters:
    ///   - seed: The seed of the first case.
    ///   - number: The number of the case.
    init(seed: UInt64, number: UInt64) {
        var generated = GeneratedCase(seed: seed &+ number, allowsTLS: false)
        var response = generated.response
        let original = response
        response.version = "HTTP/1.1"
        response.reason = " OK"
        response.lineEnd = "\r\n"
        response.interims = []
        response.fields = response.fields.filter { !$0.value.isEmpty }.map { .init(name: $0.name, value: $0.value) }
        response.framingStyle = 0
        response.chunkExtension = ""
        response.chunkZeros = 0
        response.trailers = []
        if response.status >= 600 { response.status = 200 }
        if !response.mutations.contains(where: \.isAboutCoding) { response.coding = .none }
        if response.mutations.isEmpty {
            let trait = Trait.allCases[Int(number % UInt64(Trait.allCases.count))]
            Self.apply(trait, to: &response, original)
            if trait == .chunkExtension || trait == .trailers { generated.method = "GET" }
            row = trait.rawValue
        } else {
            row = response.mutations.count > 1 ? "several of these" : response.mutations[0].kind
        }
        generated.response = response
        self.generated = generated
    }

    private static func apply(_ trait: Trait, to response: inout GeneratedResponse, _ original: GeneratedResponse) {
        switch trait {
        case .none: break
        case .tightColon: response.fields.append(.init(name: "X-Tight", value: "a", colon: ":"))
        case .padding: response.fields.append(.init(name: "X-Padded", value: "a", padding: " "))
        case .emptyValue: response.fields.append(.init(name: "X-Empty", value: ""))
        case .noReason: response.reason = ""
        case .interim: response.interims = [.init(status: 103, fields: [.init(name: "Link", value: "</a>")])]
        case .lineFeeds: response.lineEnd = "\n"
        case .oldVersion: response.version = "HTTP/1.0"
        case .unassignedStatus: response.status = 999
        case .chunkExtension:
            response.framing = .chunks
            response.chunkExtension = ";a=b"
        case .trailers:
            response.framing = .chunks
            response.trailers = [.init(name: "X-Trailer", value: "a")]
        case .coding: response.coding = original.isCoded && original.coding != .five ? original.coding : .gzip
        case .unknownCoding: response.coding = .unknown
        }
        // A part of coded content need not be decoded, and these have no content.
        let needsContent: Set<Trait> = [.chunkExtension, .trailers, .coding, .unknownCoding]
        if needsContent.contains(trait) { response.status = 200 }
    }
}

extension GeneratedResponse.Mutation {
    fileprivate var isAboutCoding: Bool {
        switch self {
        case .plainAsCoded, .truncatedCoding, .damagedCoding, .bytesBehindCoding: true
        default: false
        }
    }
}
#endif
