/// A decoder of the pixels of images: ``SystemImageDecoder``, which uses the system's libraries, or a decoder of the
/// caller for other formats.
public protocol ImageDecoder: Sendable {
    /// Decodes an image whose format and size have been checked.
    ///
    /// Called on the session manager's processing queue, for several images concurrently.
    /// - Parameters:
    ///   - data: The whole file.
    ///   - header: The header of the file. Pixels of another size are rejected.
    /// - Returns: The pixels; nil if the decoder does not support the format.
    /// - Throws: ``LarkspurError``, which is reported unchanged; or any other error, which becomes the
    ///   `underlyingError` of one with the code `responseSerializationFailed`.
    func decode(_ data: Data, header: ImageHeader) throws -> ImagePixels?
}
