extension ImageDownloader {
    /// Downloads an image, or takes it from the cache in memory.
    ///
    /// Cancelling the waiting task ends only this wait, with the error `cancelled`.
    /// - Parameter request: The request.
    /// - Throws: ``LarkspurError``, if the download fails or is cancelled.
    public func image(for request: URLRequest) async throws(LarkspurError) -> Image {
        try await response(for: request).result.get()
    }

    /// Downloads an image, or takes it from the cache in memory, and returns the whole response, which shows the source
    /// of the image.
    ///
    /// Cancelling the waiting task ends only this wait, with the error `cancelled`.
    /// - Parameter request: The request.
    /// - Returns: The response that ``download(_:receiptID:completionHandler:)`` passes to its completion handler.
    public func response(for request: URLRequest) async -> DataResponse<Image> {
        let id = UUID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let receipt = download(request, receiptID: id) { continuation.resume(returning: $0) }
                // The task was cancelled before there was a receipt.
                if let receipt, Task.isCancelled { cancel(receipt) }
            }
        } onCancel: {
            cancel(ImageDownloadReceipt(id: id))
        }
    }
}
