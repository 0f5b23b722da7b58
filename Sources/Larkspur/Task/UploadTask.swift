/// A data task that sends a body from memory, a file or a stream.
public final class UploadTask: DataTask, @unchecked Sendable {}
