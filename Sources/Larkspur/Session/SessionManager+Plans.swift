internal import HTTPSyntax

/// The creation of the plans of calls, from the parts of their requests.
extension SessionManager {
    /// Builds the request that a call with these arguments sends.
    /// - Parameters:
    ///   - method: The method, which may be any token (RFC 9110, section 9.1).
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - parameters: Names and values, which become the query or the content. Default: none.
    ///   - body: The content. A form becomes the `httpBodyStream`. A file, a stream, a sequence or a writer is sent
    ///     only by a task, so the request gets the fields for it, but not the content. Default: none.
    ///   - headers: Fields of this request. They replace fields of ``headers`` with the same name. Default: none.
    /// - Returns: The request, with headers and settings of the manager.
    /// - Throws: ``LarkspurError``: `invalidURL`, `invalidMethod`, `invalidHeaderField` or `parameterEncodingFailed`.
    public func makeRequest(
        _ method: HTTPMethod,
        _ url: any RequestTarget,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        headers: HTTPHeaders? = nil
    ) throws(LarkspurError) -> URLRequest {
        let draft = RequestDraft(method, url, parameters, body, headers)
        guard case .form(let constructing) = body?.kind else { return try request(of: draft) }
        var (request, form) = try form(draft, constructing)
        request.httpBodyStream = form.makeInputStream()
        return request
    }

    /// Returns the plan of a call whose response is collected in memory.
    /// - Parameters:
    ///   - isUpload: Whether the task is an upload task even without a body. Default: false.
    ///   - resumable: The protocol of a resumable upload. Default: nil.
    func plan(_ draft: RequestDraft, isUpload: Bool = false, _ resumable: ResumableUpload? = nil) -> CallPlan {
        if let reference = draft.plainReference, let request = requests.request(of: reference, builder.version) {
            return CallPlan(validRequest: request)
        }
        do throws(LarkspurError) {
            guard case .form(let constructing) = draft.body?.kind else {
                // The plan is not marked as valid: the caller's code may have changed the request after its parts were
                // validated.
                return .sending(draft.body, .success(try request(of: draft)), isUpload: isUpload, resumable)
            }
            let (request, form) = try form(draft, constructing)
            return .sending(form, request, resumable)
        } catch {
            return CallPlan(template: isUpload ? .uploadOfBody : .data, request: .failure(error))
        }
    }

    /// Returns the plan of an upload with a request that the caller has built.
    /// - Parameter body: The content that replaces the content of the request; nil to send the request's own content.
    func plan(_ request: URLRequest, _ body: RequestBody?, _ resumable: ResumableUpload?) -> CallPlan {
        do throws(LarkspurError) {
            guard case .form(let constructing) = body?.kind else {
                let completed = try body?.completing(request, jsonEncoder) ?? request
                return .sending(body, .success(completed), isUpload: true, resumable)
            }
            var form = MultipartFormData()
            let completed = try form.construct(constructing, for: request)
            return .sending(form, completed, resumable)
        } catch {
            return CallPlan(
                template: .uploadOfBody,
                request: .failure(error.filled(request: request, response: nil, responseData: nil))
            )
        }
    }

    /// Returns the plan of a download.
    func plan(
        _ request: Result<URLRequest, LarkspurError>?,
        _ resumeData: Data?,
        _ maximumResumptions: Int,
        _ destination: DownloadDestination?
    ) -> CallPlan {
        var template = TransferTemplate.download
        template.resumeData = resumeData
        if maximumResumptions > 0 { template.resumption = DownloadResumption(limit: maximumResumptions) }
        let placement = DownloadPlacement(destination: destination, hooks: sessions.hooks)
        // A resumed transfer begins in the middle of the content, where a content coding cannot be decoded.
        let request = request?.map { maximumResumptions > 0 ? $0.requestingNoCoding : $0 }
        return CallPlan(template: template, request: request, download: placement)
    }

    /// Returns the request of a call, or the error for which it could not be built.
    func requestResult(_ draft: RequestDraft) -> Result<URLRequest, LarkspurError> {
        do {
            return .success(try request(of: draft))
        } catch {
            return .failure(error)
        }
    }

    /// Builds the request of a call: resolves the URL, and writes parameters and content. Fields of the call replace
    /// fields of the manager with the same name.
    private func request(of draft: RequestDraft) throws(LarkspurError) -> URLRequest {
        let version = builder.version
        // The version is read before `resolved`, which may run the caller's code. That code may change the settings. So
        // the version is never newer than the request.
        let url = try resolved(draft.url)
        let (shared, isCommon) = self.builder(of: draft, for: url)
        let builder = draft.encoding?.applied(to: shared, for: draft.method) ?? shared
        let content = try draft.body?.content(jsonEncoder)
        let request = try builder.makeRequest(
            draft.method,
            url: url,
            parameters: draft.parameters,
            headers: draft.headers ?? HTTPHeaders(),
            content: content
        )
        // Other requests are not stored: the serializer has written their content, and a serializer of the caller may
        // write other content each time. A request whose headers depend on its origin is not stored either, because
        // HSTS may change the origins that get the credentials.
        if isCommon, let reference = draft.plainReference, builder.settings.encodesParametersInURI("GET") {
            requests.remember(request, of: reference, version)
        }
        return request
    }

    private func form(
        _ draft: RequestDraft,
        _ constructing: (inout MultipartFormData) throws -> Void
    ) throws(LarkspurError) -> (URLRequest, MultipartFormData) {
        let url = try resolved(draft.url)
        return try builder(of: draft, for: url).builder.makeMultipart(
            draft.method,
            url,
            draft.parameters,
            draft.headers ?? HTTPHeaders(),
            constructing
        )
    }

    /// Returns the URL of a call.
    /// - Throws: ``LarkspurError`` with the code `invalidURL`, also if the manager's base URL is not valid.
    func resolved(_ target: any RequestTarget) throws(LarkspurError) -> URL {
        let base = try base.get()
        guard let reference = target as? String else { return try target.requestURL(relativeTo: base) }
        return try urls.url(of: reference) { () throws(LarkspurError) in try reference.requestURL(relativeTo: base) }
    }
}

extension CallPlan {
    /// Returns the plan of a request with a body that is not a form.
    fileprivate static func sending(
        _ body: RequestBody?,
        _ request: Result<URLRequest, LarkspurError>,
        isUpload: Bool,
        _ resumable: ResumableUpload?
    ) -> CallPlan {
        do throws(LarkspurError) {
            var request = try request.get()
            if let resumable { return try .resuming(body, request, resumable) }
            switch body?.kind {
            case .file(let file, let offset, let length):
                try UploadFile.check(file)
                if offset != 0 || length != nil { return try .sending(file, from: offset, length: length, request) }
                // Setting `httpBody` removes the stream of the request, even if the new value is nil.
                if request.httpBody != nil { request.httpBody = nil }
                return CallPlan(template: .upload(file: file), request: .success(request))
            case .stream(let length, let makeStream):
                if let length { request.setValue(String(length), forHTTPHeaderField: "Content-Length") }
                if request.httpBody != nil { request.httpBody = nil }
                let template = TransferTemplate.upload(makeStream, length: length ?? request.announcedBodyLength)
                return CallPlan(template: template, request: .success(request))
            case .produced(let producer):
                for name in producer.trailerNames { try HTTPHeaders.validateTrailer(named: name) }
                if !producer.trailerNames.isEmpty {
                    request.setValue(producer.trailerNames.joined(separator: ", "), forHTTPHeaderField: "Trailer")
                }
                // Trailers can only follow content in chunks, whose length is not announced.
                if request.value(forHTTPHeaderField: "Trailer") != nil {
                    request.setValue(nil, forHTTPHeaderField: "Content-Length")
                } else if let length = producer.length {
                    request.setValue(String(length), forHTTPHeaderField: "Content-Length")
                }
                if request.httpBody != nil { request.httpBody = nil }
                var template = TransferTemplate.upload(nil, length: producer.length ?? request.announcedBodyLength)
                template.producer = producer
                return CallPlan(template: template, request: .success(request))
            case nil where isUpload && request.httpBody == nil:
                let template = TransferTemplate.upload(nil, length: request.announcedBodyLength)
                return CallPlan(template: template, request: .success(request))
            case .value, .object, .data, .form, nil:
                return CallPlan(template: isUpload ? .uploadOfBody : .data, request: .success(request))
            }
        } catch {
            return CallPlan(
                template: isUpload || body?.isSentByTask == true ? .uploadOfBody : .data,
                request: .failure(error)
            )
        }
    }

    /// Returns the plan of a request with bytes of a file.
    /// - Parameters:
    ///   - offset: The offset of the first byte.
    ///   - length: The number of bytes; nil for all bytes that follow.
    private static func sending(
        _ file: URL,
        from offset: Int64,
        length: Int64?,
        _ request: URLRequest
    ) throws(LarkspurError) -> CallPlan {
        let state = try FileSection.state(of: file.absoluteURL)
        guard (0...state.size).contains(offset), (0...(state.size - offset)).contains(length ?? 0) else {
            let part = length.map { "that \($0) bytes cannot be sent from byte \(offset) on" }
            throw LarkspurError(
                .fileUnreadable,
                "The file to upload, \(file.path.onOneLine), has \(state.size) bytes, so \(part ?? "that it cannot be sent from byte \(offset) on").",
                failingURL: file
            )
        }
        let count = length ?? state.size - offset
        let section = FileSection(file: file.absoluteURL, state: state, offset: offset, count: count)
        var request = request
        request.setValue(String(section.count), forHTTPHeaderField: "Content-Length")
        if request.httpBody != nil { request.httpBody = nil }
        var template = TransferTemplate.upload(nil, length: section.count)
        template.section = section
        return CallPlan(template: template, request: .success(request))
    }

    /// Returns the plan of a request with a form.
    fileprivate static func sending(
        _ form: MultipartFormData,
        _ request: URLRequest,
        _ resumable: ResumableUpload?
    ) -> CallPlan {
        guard resumable == nil else {
            return CallPlan(template: .uploadOfBody, request: .failure(.unresumableBody("A form")))
        }
        let template = TransferTemplate.upload({ form.makeInputStream() }, length: form.contentLength)
        return CallPlan(template: template, request: .success(request))
    }

    private static func resuming(
        _ body: RequestBody?,
        _ request: URLRequest,
        _ resumable: ResumableUpload
    ) throws(LarkspurError) -> CallPlan {
        let content: ResumableContent
        switch body?.kind {
        case .file(let file, from: 0, length: nil):
            try UploadFile.check(file)
            content = .file(file.absoluteURL)
        case .produced(let producer) where producer.repetition == .fromOffset: content = .produced(producer)
        case .file: throw .unresumableBody("A part of a file")
        case .produced: throw .unresumableBody("A sequence that is not made from an offset")
        case .stream, .form, nil: throw .unresumableBody("A stream")
        case .value, .object, .data: content = .data(request.httpBody ?? Data())
        }
        try resumable.check(request)
        var template = TransferTemplate.uploadOfBody
        template.resumer = UploadResumer(resumable, content)
        var request = request
        // Each attempt gets its part of the content from the resumer.
        request.httpBody = nil
        return CallPlan(template: template, request: .success(request))
    }
}

extension RequestBody {
    /// Whether the task gets the content separately from the request: as a file, a stream, produced content or a form.
    fileprivate var isSentByTask: Bool {
        switch kind {
        case .file, .stream, .produced, .form: true
        case .value, .object, .data: false
        }
    }

    /// Returns the caller's request with this body. A file, a stream or produced content does not become part of the
    /// request. If the request has no media type, it gets the media type of the body.
    fileprivate func completing(
        _ request: URLRequest,
        _ jsonEncoder: @autoclosure () -> JSONEncoder
    ) throws(LarkspurError) -> URLRequest {
        guard let content = try content(jsonEncoder()) else { return request }
        var request = request
        if let data = try content.encoded() { request.httpBody = data }
        if let mediaType = content.mediaType { request.setContentTypeIfAbsent(mediaType) }
        return request
    }
}

extension LarkspurError {
    fileprivate static func unresumableBody(_ body: String) -> LarkspurError {
        LarkspurError(
            .unsupported,
            "\(body) cannot be read again from the middle: a resumable upload sends data, a whole file, or a sequence that is made from an offset."
        )
    }
}
