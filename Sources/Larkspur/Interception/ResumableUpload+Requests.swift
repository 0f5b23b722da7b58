internal import HTTPSyntax

/// The requests of the upload protocols.
extension ResumableUpload {
    /// Checks that the method of a request can begin an upload.
    /// - Throws: `unsupported`, if the protocol does not allow the method.
    func check(_ request: URLRequest) throws(LarkspurError) {
        let method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
        let isRight = kind == .tus ? method == .post : !method.isSafe && method != .delete
        guard !isRight else { return }
        throw LarkspurError(
            .unsupported,
            "A resumable upload cannot begin with the method \(method.rawValue.onOneLine).",
            request: request
        )
    }

    /// Returns the request of a step, without its content.
    /// - Parameters:
    ///   - step: The step.
    ///   - length: The number of bytes of the whole content.
    ///   - request: The request of the call, with the changes by outer interceptors.
    /// - Throws: `invalidHeaderField`, if a name in ``metadata`` is malformed.
    func request(
        for step: UploadState.Step,
        length: Int64,
        like request: URLRequest
    ) throws(LarkspurError) -> URLRequest {
        switch step {
        case .create: return try creation(length: length, like: request)
        case .locate(let resource): return part("HEAD", resource, like: request)
        case .append(let resource, let offset, _, let isLast):
            var part = part("PATCH", resource, like: request)
            part.setValue(String(offset), forHTTPHeaderField: "Upload-Offset")
            switch kind {
            case .tus: part.setValue("application/offset+octet-stream", forHTTPHeaderField: "Content-Type")
            case .ietf:
                part.setValue("application/partial-upload", forHTTPHeaderField: "Content-Type")
                part.setValue(isLast ? "?1" : "?0", forHTTPHeaderField: "Upload-Complete")
            }
            return part
        }
    }

    /// Returns the request that deletes an upload resource.
    func deletion(of resource: URL, like request: URLRequest) -> URLRequest { part("DELETE", resource, like: request) }

    /// Returns the names of those fields of the call's request that only the origin of the request gets. If the upload
    /// resource is on another origin, or a redirect leads to another origin, these fields are omitted there.
    func withheldFields(of request: URLRequest) -> [String] {
        let harmless = URLRequest.harmlessFields
        return (request.allHTTPHeaderFields ?? [:]).keys.filter { name in
            let name = name.inLowercase
            // These fields describe the content, or belong to the upload protocol.
            let isNeeded = ["content-", "upload-", "tus-"].contains { name.begins(with: $0) }
            return !isNeeded && !harmless.contains(name)
        }
    }

    private func creation(length: Int64, like request: URLRequest) throws(LarkspurError) -> URLRequest {
        var creation = request
        creation.httpBody = nil
        creation.setValue(nil, forHTTPHeaderField: "Content-Length")
        creation.setValue(String(length), forHTTPHeaderField: "Upload-Length")
        switch kind {
        case .tus:
            // The creation has no content. In tus, `Upload-Metadata` describes the upload.
            creation.setValue(nil, forHTTPHeaderField: "Content-Type")
            if !metadata.isEmpty { creation.setValue(try metadataField(), forHTTPHeaderField: "Upload-Metadata") }
        case .ietf: creation.setValue(length == 0 ? "?1" : "?0", forHTTPHeaderField: "Upload-Complete")
        }
        setVersion(of: &creation)
        return creation
    }

    /// Returns a request to the upload resource. It has the fields of the call's request, without the fields that
    /// describe content or are meant only for the first request.
    private func part(_ method: String, _ resource: URL, like request: URLRequest) -> URLRequest {
        var part = request.removingFields { name in
            let name = name.inLowercase
            return name.begins(with: "content-") || name.begins(with: "if-") || name == "idempotency-key"
                || name == "expect"
        }
        // The server chooses the URL of the resource. If the URL is on another origin, it must not get the secrets.
        if request.url.flatMap(Origin.init) != Origin(resource) { part = part.withoutSecrets }
        part.url = resource
        part.httpMethod = method
        part.httpBody = nil
        // A cached response would contain an old offset.
        part.cachePolicy = .reloadIgnoringLocalCacheData
        setVersion(of: &part)
        return part
    }

    private func setVersion(of request: inout URLRequest) {
        switch kind {
        case .tus: request.setValue("1.0.0", forHTTPHeaderField: "Tus-Resumable")
        case .ietf(let version):
            request.setValue(String(version), forHTTPHeaderField: "Upload-Draft-Interop-Version")
        }
    }

    private func metadataField() throws(LarkspurError) -> String {
        var pairs: [String] = []
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }) else {
                throw LarkspurError(
                    .invalidHeaderField,
                    "A name in the metadata of an upload has spaces, commas or characters outside of ASCII."
                )
            }
            pairs.append(value.isEmpty ? name : "\(name) \(Data(value.utf8).base64EncodedString())")
        }
        return pairs.joined(separator: ",")
    }
}
