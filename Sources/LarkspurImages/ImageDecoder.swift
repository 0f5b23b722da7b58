/// Decodes the pixels of images: the system's libraries (``SystemImageDecoder``), or a decoder of the caller's for
/// other formats.
public protocol ImageDecoder: Sendable {
    /// Decodes an image, of which format and size have been checked.
    ///
    /// It runs on the session manager's processing queue, for several images at once.
    /// - Parameters:
    ///   - data: The whole file.
    ///   - header: What the file says of itself. Pixels of another size are refused.
    /// - Returns: The pixels; nil where it is not for this format.
    /// - Throws: ``LarkspurError``, which is reported as it is; or any other error, which is reported underneath one
    ///   with the code `responseSerializationFailed`.
    func decode(_ data: Data, header: ImageHeader) throws -> ImagePixels?
}
