/// The content of a downloaded file as a value.
extension DownloadTask {
    /// Downloads the file, and decodes its content into a type.
    ///
    ///     let report = try await manager.download("report.json").value(as: Report.self)
    ///
    /// Without a destination, the file is removed afterwards. With a destination, the file stays there, also if it
    /// cannot be decoded.
    /// - Parameters:
    ///   - type: The type of the value. Default: inferred from the context.
    ///   - decoder: The decoder. Default: the manager's `jsonDecoder`, as it was when the download was made.
    /// - Throws: ``LarkspurError`` if the download fails, or the content cannot be decoded. Its code is
    ///   `contentTooLarge`, if the file has more bytes than ``SessionManager/maximumContentSize``, and `cancelled`
    ///   after a cancellation of the task or of the surrounding `Task`.
    public func value<T: Decodable & Sendable>(
        as type: T.Type = T.self,
        decoder: (any DataDecoder)? = nil
    ) async throws(LarkspurError) -> T {
        try await value(as: .decodable(type, decoder: decoder ?? plan.chain?.jsonDecoder ?? JSONDecoder()))
    }

    /// Downloads the file, and returns the value that a serializer creates from its content.
    ///
    ///     let text = try await manager.download("notes.txt", to: .folder(downloads)).value(as: .string)
    ///
    /// Without a destination, the file is removed afterwards.
    /// - Parameter serializer: The serializer, which runs on the manager's `processingQueue`.
    /// - Throws: The errors of ``value(as:decoder:)``, or the error of the serializer.
    public func value<S: ResponseSerializer>(
        as serializer: S
    ) async throws(LarkspurError) -> S.Output where S.Output: Sendable {
        // The response keeps a temporary file until this method returns.
        let response = await ended()
        let file = try response.result.get()
        var serializer = serializer.decoding(with: plan.chain?.jsonDecoder ?? JSONDecoder())
        serializer.validation = options.value.applied(to: serializer.validation)
        let limit = environment.settings.maximumContentSize
        let result: Result<S.Output, LarkspurError> = await withCheckedContinuation { continuation in
            environment.processing.submit { [serializer] in
                do throws(LarkspurError) {
                    let data = try Self.content(of: file, upTo: limit)
                    continuation.resume(
                        returning: ResponsePipeline.run(
                            serializer,
                            request: response.request,
                            response: response.response.map(ReceivedResponse.init),
                            data: data
                        )
                    )
                } catch {
                    continuation.resume(
                        returning: .failure(
                            error.filled(request: response.request, response: response.response, responseData: nil)
                        )
                    )
                }
            }
        }
        withExtendedLifetime(response) {}
        return try result.get()
    }

    /// Downloads the file, creates a value from its content with a serializer, and returns the result of a closure that
    /// gets this value, as ``DataTask/value(as:_:)`` does.
    /// - Parameters:
    ///   - serializer: The serializer, which runs on the manager's `processingQueue`.
    ///   - transform: Makes the value. Called on the `processingQueue`, and only for an acceptable response.
    /// - Throws: The errors of ``value(as:decoder:)``, the error of the serializer, or an error with the error of the
    ///   closure as its `underlyingError`.
    public func value<S: ResponseSerializer, Value: Sendable>(
        as serializer: S,
        _ transform: @escaping @Sendable (S.Output) throws -> Value
    ) async throws(LarkspurError) -> Value {
        try await value(as: serializer.map(transform))
    }

    /// Waits for the end of the download. The response keeps a temporary file until it is released.
    private func ended() async -> DownloadResponse {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add(FileHandler { continuation.resume(returning: $0) })
            }
        } onCancel: {
            cancel()
        }
    }

    private static func content(of file: URL, upTo limit: Int) throws(LarkspurError) -> Data {
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            guard let size = attributes[.size] as? NSNumber, size.intValue <= limit else {
                throw LarkspurError(
                    .contentTooLarge,
                    "The file has more than the \(limit) bytes that may be kept in memory."
                )
            }
            return try Data(contentsOf: file)
        } catch let error as LarkspurError {
            throw error
        } catch {
            throw LarkspurError(.fileUnreadable, "The downloaded file cannot be read.", underlyingError: error)
        }
    }
}
