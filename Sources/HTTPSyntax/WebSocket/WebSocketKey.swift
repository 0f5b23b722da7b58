internal import Foundation

/// The key of an opening handshake. The server's response contains a value that is computed from the key. This value
/// shows the client that the server has understood the request (RFC 6455, sections 4.1 and 4.2.2).
package struct WebSocketKey: Equatable, Sendable {
    /// The number of random bytes.
    private static let byteCount = 16

    /// The value of the `Sec-WebSocket-Key` field: the bytes in base64.
    package let text: String

    /// Creates a key from the system's random source.
    package init() {
        var random = SystemRandomNumberGenerator()
        text = Data((0..<Self.byteCount).map { _ in random.next() }).base64EncodedString()
    }

    /// Creates a key from the field of a request; nil if it is not base64 of 16 bytes.
    package init?(_ text: String) {
        guard text.utf8.count == 24, Data(base64Encoded: text)?.count == Self.byteCount else { return nil }
        self.text = text
    }

    /// The value of the `Sec-WebSocket-Accept` field that belongs to the key.
    package var accept: String {
        Data(SHA1.hash(Data((text + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
    }
}
