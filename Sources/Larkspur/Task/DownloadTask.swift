/// A task whose response is written to a file.
public final class DownloadTask: SessionTask, @unchecked Sendable {}
