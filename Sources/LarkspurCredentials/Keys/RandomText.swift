internal import HTTPSyntax

/// Random texts, for values that must not be guessed.
enum RandomText {
    /// Returns random bytes in base64url.
    /// - Parameter byteCount: The number of bytes. Default: 32, which are 43 characters.
    static func make(byteCount: Int = 32) -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.base64URL
    }
}
