#if canImport(FoundationNetworking)
/// Messages that are values in JSON.
extension WebSocketTask {
    /// Sends a value as a text message in JSON. Returns when the connection has accepted all bytes of the message.
    ///
    /// - Parameters:
    ///   - value: The value. It is encoded before anything is sent.
    ///   - encoder: The encoder. Default: a `JSONEncoder` with its default settings.
    /// - Throws: The encoder's error. If the connection ends first, ``WebSocketError`` or `URLError`.
    public func send(json value: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) async throws {
        try await send(.text(String(decoding: encoder.encode(value), as: UTF8.self)))
    }

    /// Returns the messages as they arrive, each decoded from JSON. The messages can be text or binary.
    ///
    /// If a message cannot be decoded, the loop throws the decoder's error and ends. A new loop continues with the next
    /// message.
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: The decoder. Default: a `JSONDecoder` with its default settings.
    public func messages<Value: Decodable & Sendable>(
        as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) -> some AsyncSequence<Value, any Error> & Sendable {
        messages.map { message in
            switch message {
            case .text(let text): try decoder.decode(type, from: Data(text.utf8))
            case .data(let data): try decoder.decode(type, from: data)
            }
        }
    }
}
#endif
