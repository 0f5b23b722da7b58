#if canImport(FoundationNetworking)
/// Messages as values in JSON.
extension WebSocketTask {
    /// Sends a value as a text message in JSON, and returns when the connection has taken all of its bytes.
    ///
    /// - Parameters:
    ///   - value: The value, which is encoded before anything is sent.
    ///   - encoder: The encoder. Default: a `JSONEncoder` with its own settings.
    /// - Throws: The encoder's error; ``WebSocketError`` or `URLError`, if the connection has ended or ends before.
    public func send(_ value: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) async throws {
        try await send(.text(String(decoding: encoder.encode(value), as: UTF8.self)))
    }

    /// The messages as they arrive, each decoded from JSON, whether it is text or binary.
    ///
    /// A message that cannot be decoded throws the decoder's error and ends the loop; another loop continues with the
    /// next message.
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: The decoder. Default: a `JSONDecoder` with its own settings.
    public func messages<Value: Decodable & Sendable>(
        as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) -> AsyncThrowingMapSequence<Messages, Value> {
        messages.map { message in
            switch message {
            case .text(let text): try decoder.decode(type, from: Data(text.utf8))
            case .data(let data): try decoder.decode(type, from: data)
            }
        }
    }
}
#endif
