package import HTTPSyntax

extension InterceptedResponse {
    /// Returns the hashes of the content in memory, or of the file of a download. A file is read in chunks, on another
    /// thread.
    /// - Parameter hashes: The hashes to which the content is added.
    /// - Throws: `fileUnreadable`.
    package func hashes(of hashes: ContentHashes) async throws -> ContentHashes {
        guard let file else {
            var hashes = hashes
            hashes.update(data)
            return hashes
        }
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try DigestVerification.Content.file(file).added(to: hashes) })
            }
        }
    }
}
