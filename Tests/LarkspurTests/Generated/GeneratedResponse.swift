#if canImport(FoundationNetworking)
import Foundation

/// A response as the server means it, and the deviations with which the server sends it.
///
/// The bytes (``wire(method:)``) and the permitted outcomes (``expectation(method:isSecure:rules:)``) follow from the
/// same values, so that no second parser has to judge the bytes.
struct GeneratedResponse: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        var name: String
        var value: String
        /// The characters between the name and the value.
        var colon = ": "
        /// The blanks behind the value.
        var padding = ""

        var line: String { name + colon + value + padding }
    }

    struct Interim: Sendable, Equatable {
        var status: Int
        var fields: [Field]
    }

    /// The way in which the server marks the end of the content.
    enum Framing: Sendable, Equatable {
        case length, chunks, close
    }

    /// The content coding.
    enum Coding: String, Sendable, CaseIterable {
        case none, gzip, deflate
        case oldGzip = "x-gzip"
        case twice = "deflate, gzip"
        /// A coding that no recipient knows, so that the content is delivered unchanged.
        case unknown = "x-none-of-these"
        case five = "gzip, gzip, gzip, gzip, gzip"
    }

    struct Content: Sendable, Equatable {
        enum Kind: Sendable, CaseIterable {
            case letters, lines, binary, http
        }

        var kind: Kind
        var count: Int
    }

    var version = "HTTP/1.1"
    var status = 200
    /// The text behind the status, with the blank before it.
    var reason = " OK"
    var lineEnd = "\r\n"
    var interims: [Interim] = []
    var fields: [Field] = []
    /// The place of the field for the framing among the other fields.
    var framingPlace = 0
    var framing = Framing.length
    /// The spelling and the blanks of the field for the framing.
    var framingStyle = 0
    /// The sizes of the chunks; after the last one, the first one follows.
    var chunkSizes = [1 << 20]
    var chunkExtension = ""
    /// The number of zeros before the size of each chunk.
    var chunkZeros = 0
    var trailers: [Field] = []
    var coding = Coding.none
    /// The largest number of bytes of a stored block of the coding.
    var codedBlock = 1 << 15
    var content = Content(kind: .letters, count: 0)
    /// Whether the connection stays open after the response, if nothing requires its end.
    var staysOpen = false
    var mutations: [Mutation] = []

    /// Whether the response has content (RFC 9110, section 6.4.1).
    func hasContent(_ method: String) -> Bool { method != "HEAD" && status != 204 && status != 304 }

    /// Whether a recipient decodes the content.
    var isCoded: Bool { coding != .none && coding != .unknown }
}

extension GeneratedResponse {
    /// A deviation from a correct response, or from a usual one.
    enum Mutation: Sendable, Equatable {
        // The status line. `%` stands for the status, `&` for the version.
        case brokenStatusLine(String)
        case oddStatusLine(String)
        case protocolChange
        case interimFlood(Int)

        // The framing.
        case malformedLength(String)
        case contradictoryLengths(inOneField: Bool)
        case repeatedLength(inOneField: Bool)
        case shortContent(missing: Int)
        case obscuredFraming(String)
        case lengthBesideChunks(Int)
        case foreignTransferCoding(String)
        case repeatedChunked(inOneField: Bool)
        case malformedChunkSize(chunk: Int, String)
        case chunkSizeTooSmall(chunk: Int)
        case chunkWithoutLineEnd(chunk: Int)
        case longChunkExtension(Int)
        case missingLastChunk
        case missingTrailerEnd
        case malformedTrailer(String)

        // The fields.
        case oddField(FieldFault, place: Int)

        // The connection.
        case earlyEnd(Place)
        case reset(Place)
        /// The end of a TLS connection without close_notify; over http, an orderly end.
        case cutWithoutNotification
        case excess(String)

        // The content coding.
        case plainAsCoded
        case truncatedCoding(missing: Int)
        case damagedCoding
        case bytesBehindCoding(Int)
    }

    enum FieldFault: String, Sendable, CaseIterable {
        case folded, null, carriageReturn, withoutColon, blankBeforeColon, withoutName, malformedName
        case leadingCarriageReturn, long, tooMany, endless
    }

    /// A place in the bytes of a response.
    enum Place: Sendable, Equatable {
        case permille(Int)
        case behindHead(Int)
        case beforeEnd(Int)
    }
}

extension GeneratedResponse.Mutation {
    /// The name of the kind, for tables.
    var kind: String {
        switch self {
        case .brokenStatusLine: "a broken status line"
        case .oddStatusLine: "an odd status line"
        case .protocolChange: "an unsolicited 101"
        case .interimFlood: "more than 100 interim responses"
        case .malformedLength: "a Content-Length that is no number"
        case .contradictoryLengths: "contradictory lengths"
        case .repeatedLength: "the same length twice"
        case .shortContent: "content that ends before its length"
        case .obscuredFraming: "a folded or blank-padded field for the framing"
        case .lengthBesideChunks: "a length beside chunks"
        case .foreignTransferCoding: "a foreign transfer coding"
        case .repeatedChunked: "chunked twice"
        case .malformedChunkSize: "a chunk's size that is no number"
        case .chunkSizeTooSmall: "a chunk that is longer than its size"
        case .chunkWithoutLineEnd: "a chunk without a line end"
        case .longChunkExtension: "a chunk extension of 20 KB"
        case .missingLastChunk: "no last chunk"
        case .missingTrailerEnd: "no end of the trailers"
        case .malformedTrailer: "a trailer that is no field"
        case .oddField(let fault, _): fault.kind
        case .earlyEnd: "an early end"
        case .reset: "a reset"
        case .cutWithoutNotification: "an end without close_notify"
        case .excess: "bytes behind the end"
        case .plainAsCoded: "plain content with a content coding"
        case .truncatedCoding: "coded content that is truncated"
        case .damagedCoding: "coded content with a wrong checksum"
        case .bytesBehindCoding: "bytes behind coded content"
        }
    }

    /// Whether the server can keep the connection open after it.
    var allowsOpenConnection: Bool {
        switch self {
        case .repeatedLength, .excess, .lengthBesideChunks, .repeatedChunked, .plainAsCoded, .damagedCoding,
            .truncatedCoding, .bytesBehindCoding, .oddStatusLine:
            true
        default: false
        }
    }
}

extension GeneratedResponse.FieldFault {
    var kind: String {
        switch self {
        case .folded: "a folded field"
        case .null: "NUL in a field"
        case .carriageReturn: "CR in a field"
        case .withoutColon: "a field without a colon"
        case .blankBeforeColon: "a blank before a colon"
        case .withoutName: "a field without a name"
        case .malformedName: "a field whose name is no token"
        case .leadingCarriageReturn: "a line that begins with CR"
        case .long: "a field of 150 KB"
        case .tooMany: "6,000 fields"
        case .endless: "endless fields"
        }
    }
}
#endif
