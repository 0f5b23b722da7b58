internal import HTTPSyntax

/// The last step of a download. It validates the response, and moves the file to its destination.
struct DownloadPlacement: Sendable {
    var validation = ResponseValidation()
    let destination: DownloadDestination?
    let hooks: SessionHooksStore

    /// The maximum number of bytes of an unacceptable download or stream that the error contains.
    static let errorDataLimit = 1 << 20
    /// The prefix of the names of temporary files.
    static let temporaryPrefix = "Larkspur-"

    func placeFile(of ending: CallEnding, for task: SessionTask) {
        let result = ending.result
        do throws(LarkspurError) {
            ending.file = .success(try place(ending, of: task))
            // After a success, the partial file of an earlier attempt is no longer needed.
            if let resumeData = result.unusedResumeData { Platform.discard(resumeData: resumeData) }
        } catch {
            var error = error
            if error.code == .digestMismatch {
                // Wrong content is of no use to another attempt, and must not be taken for the file.
                if let resumeData = result.unusedResumeData { Platform.discard(resumeData: resumeData) }
                result.file.map(TemporaryDownload.init)?.discard()
            } else {
                error.resumeData = error.resumeData ?? result.unusedResumeData
            }
            ending.file = .failure(error.filled(request: result.request, response: result.response, responseData: nil))
        }
        let isMoved = ending.move != nil && ending.move?.error == nil
        ending.temporaryFile = isMoved ? nil : result.file.map(TemporaryDownload.init)
    }

    private func place(_ ending: CallEnding, of task: SessionTask) throws(LarkspurError) -> URL {
        let result = ending.result
        if let error = result.error { throw error }
        let validation = ending.options.value.applied(to: validation)
        try validation.validate(result.response, data: beginning(of: result, validation))
        if let failure = result.digestFailure { throw failure.error }
        guard let file = result.file else {
            throw LarkspurError(.emptyResponse, "The response came without a file.")
        }
        if result.hasContent { try checkLength(of: file, against: result.response) }
        try ending.options.value.check(file, of: result)
        // The file of a data task that became a download can be read only by its owner. So it gets the usual
        // permissions of a new file before it is passed to the caller.
        #if canImport(FoundationNetworking)
        NewFilePermissions.replacePrivateOnes(ofFileAt: file)
        #endif
        let chosen = (task as? DownloadTask).flatMap { task in
            hooks.hook(\.downloadDestination, of: task)?(task, file, result.response)
        }
        guard let wanted = chosen ?? destination?.place(file, result.response), wanted != file else { return file }
        // The rules of the destination do not apply to a location that the hook chose.
        let placing = chosen == nil ? destination : nil
        do {
            try DownloadDestination.move(
                file,
                to: wanted,
                replacing: placing?.isReplacing ?? false,
                makingFolders: placing?.makesFolders ?? false
            )
        } catch {
            let reason = DownloadDestination.reason(
                error,
                for: wanted,
                replacing: placing?.isReplacing ?? false,
                makingFolders: placing?.makesFolders ?? false
            )
            let failure = LarkspurError(
                .fileMoveFailed,
                "The downloaded file could not be moved to \(wanted.path): \(reason).",
                underlyingError: error,
                request: result.request,
                response: result.response
            )
            ending.move = DownloadMove(destination: wanted, error: failure)
            throw failure
        }
        ending.move = DownloadMove(destination: wanted, error: nil)
        return wanted
    }

    /// Checks that a file has the announced length. It may be longer, because FoundationNetworking delivers content
    /// twice when a transfer is suspended and resumed.
    private func checkLength(of file: URL, against response: URLResponse?) throws(LarkspurError) {
        guard let announced = response?.contentLengthOnceDecoded, announced >= 0,
            let size = try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize, Int64(size) != announced,
            Int64(size) != response?.endOfPart
        else { return }
        throw LarkspurError(.connectionLost, "The file has \(size) bytes where \(announced) were announced.")
    }

    /// Returns the content for a validation error: the beginning of the file. The file of an acceptable response is not
    /// read.
    private func beginning(of result: TransferResult, _ validation: ResponseValidation) -> Data {
        // One byte is used in place of the file's content, because empty content would be acceptable with every type.
        guard let file = result.file, (try? validation.validate(result.response, data: Data([0]))) == nil,
            let handle = try? FileHandle(forReadingFrom: file)
        else { return result.data }
        defer { try? handle.close() }
        return (try? handle.read(upToCount: Self.errorDataLimit)) ?? result.data
    }
}

extension TransferResult {
    /// Whether content follows the head of the response. For HEAD and 304, `Content-Length` is the length of the
    /// content that a GET would return (RFC 9110, section 8.6).
    fileprivate var hasContent: Bool {
        guard request?.httpMethod != "HEAD", let status = (response as? HTTPURLResponse)?.statusCode else {
            return false
        }
        return status != 204 && status != 304
    }
}

extension URLResponse {
    /// The length that the file has after a partial response; nil if the response is not partial.
    fileprivate var endOfPart: Int64? {
        guard let http = self as? HTTPURLResponse, http.statusCode == 206,
            let range = http.value(forHTTPHeaderField: "Content-Range"),
            case .part(_, let last, _) = ContentRange(range)
        else { return nil }
        // The server chooses the number, so an overflow must not terminate the process.
        return last.addingReportingOverflow(1).partialValue
    }
}
