internal import HTTPSyntax
import Synchronization

/// A coding of a request's content that is computed while the content is sent.
package protocol BodyCoder: Sendable {
    /// Adds bytes of the content, and returns the coded bytes that are complete.
    mutating func code(_ bytes: Data) -> Data
    /// Returns the coded bytes that end the content. Called once.
    mutating func finish() -> Data
}

/// The coding of the content of one request.
package struct BodyCoding: Sendable {
    /// The number of coded bytes.
    let length: Int64
    let makeCoder: @Sendable () -> any BodyCoder

    /// - Parameters:
    ///   - length: The number of coded bytes.
    ///   - makeCoder: Creates the coder. Called each time that the content is sent.
    package init(length: Int64, makeCoder: @escaping @Sendable () -> any BodyCoder) {
        self.length = length
        self.makeCoder = makeCoder
    }
}

/// The coder of one production, with the channel to which it writes. The coded bytes are in the order in which the
/// coder made them, even if several tasks write.
final class CodedChannel: Sendable {
    private struct State {
        var coder: any BodyCoder
        var isFinished = false
    }

    private let channel: BodyChannel
    private let state: Mutex<State>

    init(_ channel: BodyChannel, _ coder: any BodyCoder) {
        self.channel = channel
        state = Mutex(State(coder: coder))
    }

    func write(_ bytes: Data) async throws(BodyChannel.Refusal) {
        let (refusal, wake) = state.withLock { state -> BodyChannel.Addition in
            if state.isFinished { return (.contentEnded, nil) }
            // Without bytes, nothing is added, and only the reason is returned why nothing can be written any more.
            return channel.add(state.coder.code(bytes))
        }
        wake?()
        if let refusal { throw refusal }
        try await channel.waitForRoom()
    }

    /// Adds the end of the coded content. Has no effect if it was added before.
    func finish() throws(BodyChannel.Refusal) {
        let (refusal, wake) = state.withLock { state -> BodyChannel.Addition in
            if state.isFinished { return (nil, nil) }
            state.isFinished = true
            return channel.add(state.coder.finish())
        }
        wake?()
        if let refusal { throw refusal }
    }
}
