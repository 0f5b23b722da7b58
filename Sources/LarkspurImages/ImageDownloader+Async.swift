extension ImageDownloader {
    /// Downloads an image, or takes it from the cache in memory.
    ///
    /// Cancelling the task that waits ends this wait alone, with the error `cancelled`.
    /// - Parameter request: The request.
    /// - Throws: ``LarkspurError``.
    public func image(for request: URLRequest) async throws(LarkspurError) -> Image {
        try await response(for: request).result.get()
    }

    /// Downloads an image, or takes it from the cache in memory, and tells where it came from.
    ///
    /// Cancelling the task that waits ends this wait alone, with the error `cancelled`.
    /// - Parameter request: The request.
    /// - Returns: What ``download(_:receiptID:completionHandler:)`` hands its completion handler.
    public func response(for request: URLRequest) async -> DataResponse<Image> {
        let id = UUID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let receipt = download(request, receiptID: id) { continuation.resume(returning: $0) }
                // Cancelled before there was anything to cancel.
                if let receipt, Task.isCancelled { cancel(receipt) }
            }
        } onCancel: {
            cancel(ImageDownloadReceipt(id: id))
        }
    }
}
