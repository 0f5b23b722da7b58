#if canImport(FoundationNetworking)
/// Content that a producer writes to a channel.
final class ChannelReader: BodyReader {
    let channel: BodyChannel
    let length: Int64?
    private(set) var position: Int64 = 0
    private(set) var failure: URLError?
    /// The bytes that were taken from the channel and did not fit into libcurl's buffer.
    private var rest = Data()

    /// - Parameter length: The length that the request announces; nil if it is sent in chunks.
    init(_ channel: BodyChannel, length: Int64?) {
        self.channel = channel
        self.length = length
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision {
        if failure != nil { return .failed }
        var count = 0
        while count < buffer.count {
            if rest.isEmpty {
                switch channel.take() {
                case .bytes(let bytes): rest = bytes
                case .wait: return count == 0 ? .paused : provided(count)
                case .end: return provided(count)
                case .fail(BodyChannel.Refusal.answered), .fail(BodyChannel.Refusal.transferEnded):
                    // The response stands, and nothing is sent any more.
                    return .paused
                case .fail(let error):
                    failure = Self.error(error)
                    return .failed
                }
            }
            let part = rest.prefix(buffer.count - count)
            part.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: $0) }
            count += part.count
            rest = rest.dropFirst(part.count)
        }
        return provided(count)
    }

    private func provided(_ count: Int) -> EasyHandle.Provision {
        position += Int64(count)
        return .bytes(count)
    }

    /// Returns the error of a task whose content could not be produced. The producer's error is the underlying error.
    static func error(_ error: any Error) -> URLError {
        let sentence =
            switch error {
            case let refusal as BodyChannel.Refusal: refusal.sentence
            default: "The content of the request could not be produced to its end."
            }
        let underlying = error is BodyChannel.Refusal ? nil : error
        return .engine(.requestBodyStreamExhausted, sentence, url: nil, underlying: underlying)
    }

    /// Content can be sent again only from the place where it is.
    func seek(to offset: Int64) -> Bool { offset == position }
}
#endif
