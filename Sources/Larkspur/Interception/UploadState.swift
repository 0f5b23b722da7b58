internal import HTTPSyntax

/// The state of a resumable upload: the next request, and the meaning of its response. It performs no I/O.
///
/// The request that creates an upload has no content ("careful creation" in the IETF's draft), because the URL of the
/// resource may arrive only in the final response. Requests with content follow. After a failure, the client first
/// requests the offset.
struct UploadState: Sendable {
    /// The next request.
    enum Step: Sendable, Equatable {
        /// Creates the upload resource. An upload without content is then complete.
        case create
        /// Requests the offset from the upload resource.
        case locate(URL)
        /// Sends content to the upload resource.
        case append(URL, offset: Int64, count: Int64, isLast: Bool)
    }

    /// The consequence of a response.
    enum Consequence: Sendable, Equatable {
        /// The next request follows immediately.
        case proceed
        /// The next request follows after a delay, if the retry policy allows it. Otherwise the response is the result.
        case retry
        /// The next request follows after a delay, if the retry policy allows it. Otherwise the upload fails: the
        /// response reports success and cannot be the result, because the server has taken no content.
        case stalled
        /// The response is the result of the upload.
        case finish
        /// The stored response to a request for the offset is the result.
        case finishWithOffsetResponse
    }

    let kind: ResumableUpload.Kind
    /// The number of bytes of the content.
    let length: Int64
    /// The maximum number of bytes of content in one request.
    private var maximumPartSize: Int64
    private(set) var resource: URL?
    /// The number of bytes that the server has; nil if it is unknown.
    private(set) var offset: Int64?
    /// The number of bytes in the server's last confirmation.
    private(set) var confirmed: Int64 = 0
    /// The highest number of bytes that the server has confirmed.
    private var highest: Int64 = 0
    /// The number of consecutive requests that have not led to further content on the server.
    private(set) var failures = 0
    private var hasBegunAnew = false
    /// Whether the server has marked the upload as complete. The next request then serves to get the response that was
    /// lost.
    private var isComplete = false

    /// - Parameters:
    ///   - kind: The protocol.
    ///   - length: The number of bytes of the content.
    ///   - maximumPartSize: The maximum number of bytes of content in one request; nil for no limit.
    init(kind: ResumableUpload.Kind, length: Int64, maximumPartSize: Int64?) {
        self.kind = kind
        self.length = length
        self.maximumPartSize = max(maximumPartSize ?? .max, 1)
    }

    /// Continues an upload at a resource.
    mutating func `continue`(at resource: URL, from offset: Int64) {
        self.resource = resource
        self.offset = nil
        confirmed = offset
        highest = offset
    }

    /// The next request.
    var step: Step {
        guard let resource else { return .create }
        guard let offset else { return .locate(resource) }
        let count = min(length - offset, maximumPartSize)
        return .append(resource, offset: offset, count: count, isLast: offset + count == length)
    }

    /// Prepares for a further call of the interceptor. That call begins with a request for the offset.
    mutating func resume() { (offset, failures) = (nil, 0) }

    /// Records that the outcome of the last request is unknown.
    mutating func noteLoss() { offset = nil }

    /// Counts a request that has not led to further content.
    mutating func noteFailure() { failures += 1 }

    // MARK: Responses

    /// Handles a response.
    /// - Parameters:
    ///   - response: The response.
    ///   - step: The request.
    ///   - isPassing: Whether the status of the response means a temporary failure.
    ///   - base: The URL of the request that began the upload.
    /// - Throws: `resumptionFailed`, if the server's values are impossible; `insecureRequest`, if the resource has no
    ///   TLS.
    mutating func receive(
        _ response: InterceptedResponse,
        to step: Step,
        isPassing: Bool,
        base: URL?
    ) throws(LarkspurError) -> Consequence {
        // If this field is present, the response comes from the resource that gets the content, whatever the status is.
        if case .ietf = kind, response.uploadComplete == true, step.endsUpload {
            // Only a success is checked, because an error may arrive before the server has all of the content.
            if response.isSuccess { try checkEnd(in: response, to: step) }
            return .finish
        }
        let consequence = try consequence(of: response, to: step, isPassing: isPassing, base: base)
        return try limit(in: response, to: step) ?? consequence
    }

    private mutating func consequence(
        of response: InterceptedResponse,
        to step: Step,
        isPassing: Bool,
        base: URL?
    ) throws(LarkspurError) -> Consequence {
        let status = response.statusCode ?? 0
        switch step {
        case .create where response.isSuccess: return try receiveCreation(response, base: base)
        case .locate where response.isSuccess: return try receiveOffset(response)
        case .append(_, let start, let count, let isLast) where response.isSuccess:
            return try receive(response, toContentAt: start, count: count, isLast: isLast)
        // The upload is complete, but this request did not get the response that was lost. So the stored response that
        // reported the completion is the result.
        case .append where isComplete && (!isPassing || status == 409): return .finishWithOffsetResponse
        case .locate where status == 404 || status == 410: return try beginAnew(after: status, response)
        case .append where status == 404 || status == 410: return try beginAnew(after: status, response)
        default:
            // The server may have stored a part of the content, so the next request asks for the offset.
            offset = nil
            return isPassing ? .retry : .finish
        }
    }

    private mutating func receiveCreation(
        _ response: InterceptedResponse,
        base: URL?
    ) throws(LarkspurError) -> Consequence {
        if case .ietf = kind, length == 0 { return .finish }
        guard let location = response.header("Location") else {
            throw Self.error("its response to the creation of the upload has no Location", response)
        }
        let referrer = response.request?.url ?? response.response?.url ?? base
        resource = try Self.resource(location, from: referrer, base: base, response)
        (offset, confirmed) = (0, 0)
        return kind == .tus && length == 0 ? .finish : .proceed
    }

    private mutating func receiveOffset(_ response: InterceptedResponse) throws(LarkspurError) -> Consequence {
        let told = try announcedOffset(in: response)
        guard let told else { throw Self.error("its response has no Upload-Offset", response) }
        if let total = response.header("Upload-Length").flatMap(Self.number), total != length {
            throw Self.error("it has an upload of \(total) bytes, and the content has \(length)", response)
        }
        // The IETF's draft does not allow a server to lose content. A tus server may lose content in a crash.
        if case .ietf = kind, told < confirmed {
            throw Self.error("it had confirmed \(confirmed) bytes, and has \(told) now", response)
        }
        note(told)
        if case .ietf = kind, response.uploadComplete == true {
            guard told == length else {
                throw Self.premature(told, length, response)
            }
            isComplete = true
        }
        return kind == .tus && told == length ? .finish : .proceed
    }

    private mutating func receive(
        _ response: InterceptedResponse,
        toContentAt start: Int64,
        count: Int64,
        isLast: Bool
    ) throws(LarkspurError) -> Consequence {
        if isComplete { return .finish }
        let told = try announcedOffset(in: response)
        if let told, told < start || told > start + count {
            throw Self.error("it got bytes \(start) to \(start + count), and says that it has \(told)", response)
        }
        switch kind {
        case .ietf:
            // A server may omit `Upload-Complete` in the response of the resource that gets the content.
            if isLast, response.uploadComplete == nil, told ?? length == length { return .finish }
            if isLast {
                offset = nil
                return .stalled
            }
            note(told ?? start + count)
        case .tus:
            // tus requires the field `Upload-Offset` in this response.
            guard let told else {
                offset = nil
                return .stalled
            }
            note(told)
            if told == length { return .finish }
        }
        return offset.map { $0 > start } == true ? .proceed : .stalled
    }

    private mutating func note(_ told: Int64) {
        offset = told
        confirmed = told
        if told > highest { (highest, failures) = (told, 0) }
    }

    /// Begins the upload from the start because its resource is gone. If this happens a second time, an error is
    /// thrown.
    private mutating func beginAnew(
        after status: Int,
        _ response: InterceptedResponse
    ) throws(LarkspurError) -> Consequence {
        guard !hasBegunAnew else {
            throw Self.error("it has lost the upload twice (status \(status))", response)
        }
        hasBegunAnew = true
        (resource, offset, confirmed, highest) = (nil, nil, 0, 0)
        return .proceed
    }

    /// Applies the limits that a server states in `Upload-Limit`.
    /// - Returns: The consequence, if the server refused the content as too large and a smaller part can be sent.
    private mutating func limit(
        in response: InterceptedResponse,
        to step: Step
    ) throws(LarkspurError) -> Consequence? {
        guard case .ietf = kind, let limits = response.header("Upload-Limit").flatMap(UploadLimits.init) else {
            return nil
        }
        if let maximum = limits.maximumSize, maximum < length {
            throw LarkspurError(
                .resumptionFailed,
                "The server takes uploads of at most \(maximum) bytes, and the content has \(length).",
                response: response.response,
                responseData: response.data
            )
        }
        let previous = maximumPartSize
        // With a maximum of 0, no request could send content.
        if let maximum = limits.maximumAppendSize, maximum > 0 { maximumPartSize = min(maximumPartSize, maximum) }
        // The server's minimum takes precedence over the caller's maximum.
        if let minimum = limits.minimumAppendSize { maximumPartSize = max(maximumPartSize, minimum) }
        guard response.statusCode == 413, maximumPartSize < previous,
            case .append(_, _, let count, _) = step, count > maximumPartSize
        else { return nil }
        offset = nil
        return .proceed
    }

    /// Checks that the server has all of the content when it ends the upload.
    /// - Throws: `resumptionFailed`, if content was not sent, or is missing according to the offset.
    private func checkEnd(in response: InterceptedResponse, to step: Step) throws(LarkspurError) {
        var sent: Int64 = 0
        if case .append(_, let offset, let count, _) = step { sent = offset + count }
        let told = min(try announcedOffset(in: response) ?? sent, sent)
        guard told == length else { throw Self.premature(told, length, response) }
    }

    // MARK: Fields

    /// Returns the offset in a response; nil if there is none.
    /// - Throws: `resumptionFailed`, if the text is not a number, or the offset is beyond the end of the content.
    private func announcedOffset(in response: InterceptedResponse) throws(LarkspurError) -> Int64? {
        guard let text = response.header("Upload-Offset") else { return nil }
        guard let told = Self.number(text) else { throw Self.error("its Upload-Offset is no number", response) }
        guard told <= length else {
            throw Self.error("it says that it has \(told) bytes, and the content has \(length)", response)
        }
        return told
    }

    /// Returns the value of a structured field that is a number and not negative (RFC 9651, section 3.3); nil for
    /// another value. The parameters of the field are ignored.
    static func number(_ text: String) -> Int64? {
        let item = text.before(";").trimmingCharacters(in: .whitespaces)
        // A number of 18 digits always fits into an Int64.
        guard !item.isEmpty, item.utf8.count <= 18, item.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(item)
    }

    /// Returns the URL of an upload resource, without credentials.
    /// - Parameters:
    ///   - location: The URL or relative reference from the server.
    ///   - referrer: The URL of the request that led to the location.
    ///   - base: The URL of the request that began the upload.
    ///   - response: The response.
    /// - Throws: `resumptionFailed` or `insecureRequest`.
    static func resource(
        _ location: String,
        from referrer: URL?,
        base: URL?,
        _ response: InterceptedResponse?
    ) throws(LarkspurError) -> URL {
        guard let target = try? BaseURL.resolve(location, from: referrer), let scheme = target.scheme?.inLowercase,
            scheme == "http" || scheme == "https"
        else { throw error("the URL of the upload is not one of http or https", response) }
        if scheme == "http", [referrer, base].contains(where: { $0?.scheme?.inLowercase == "https" }) {
            throw LarkspurError(
                .insecureRequest,
                "The server has led an upload from https to http.",
                response: response?.response
            )
        }
        // A server must not choose the credentials of a request.
        guard let url = URLReference(target.absoluteString).withoutUserInformation.withoutFragment.url else {
            throw error("the URL of the upload is malformed", response)
        }
        return url
    }

    private static func premature(_ told: Int64, _ length: Int64, _ response: InterceptedResponse) -> LarkspurError {
        error("it has ended the upload after \(told) of \(length) bytes", response)
    }

    static func error(_ reason: String, _ response: InterceptedResponse?) -> LarkspurError {
        LarkspurError(
            .resumptionFailed,
            "The server cannot continue the upload: \(reason).",
            request: response?.request,
            response: response?.response,
            responseData: response?.data
        )
    }
}

extension UploadState.Step {
    /// Whether the response to the step may come from the resource that gets the content. Such a response ends the
    /// upload.
    fileprivate var endsUpload: Bool {
        if case .locate = self { false } else { true }
    }
}

extension InterceptedResponse {
    /// Whether the status is 200 to 299.
    var isSuccess: Bool { statusCode.map { (200..<300).contains($0) } ?? false }

    /// Whether the upload is complete according to `Upload-Complete`, a Boolean of RFC 9651, section 3.3.6; nil if the
    /// field is missing or malformed.
    var uploadComplete: Bool? {
        switch header("Upload-Complete")?.before(";").trimmingCharacters(in: .whitespaces) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }
}

/// The limits of a server, from the field `Upload-Limit`: a dictionary of RFC 9651, section 3.2.
struct UploadLimits: Equatable {
    private(set) var maximumSize: Int64?
    private(set) var minimumAppendSize: Int64?
    private(set) var maximumAppendSize: Int64?

    /// Creates limits from a field. Nil if the value of a limit is not a number, because the whole field is then
    /// ignored.
    init?(_ field: String) {
        for member in Self.members(of: field) {
            let value = (member.cut(at: "=")?.after).flatMap { UploadState.number(String($0)) }
            switch member.before("=").trimmingCharacters(in: .whitespaces) {
            case "max-size": maximumSize = value
            case "min-append-size": minimumAppendSize = value
            case "max-append-size": maximumAppendSize = value
            default: continue
            }
            if value == nil { return nil }
        }
    }

    /// Returns the members of a dictionary. A comma within a string does not separate members.
    private static func members(of field: String) -> [String] {
        FieldParameters.split(field, at: ",").filter { !$0.isEmpty }
    }
}
