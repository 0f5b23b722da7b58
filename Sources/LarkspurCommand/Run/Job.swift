import LarkspurCredentials

/// The work of one run, after the request was composed.
struct Job: Sendable {
    let invocation: Invocation
    let composed: ComposedRequest
    let output: OutputTarget
    let input: StandardInput
    let manager: SessionManager
    /// The value of the field `Cookie` with the session's cookies; nil if there are none for the URL.
    let cookie: String?

    /// Performs the work. Returns the exit status or the error.
    func result() async -> Result<ExitStatus, any Error> {
        do {
            return .success(try await run())
        } catch {
            return .failure(error)
        }
    }

    private func run() async throws -> ExitStatus {
        setInterceptors()
        if invocation.mode == .webSocket {
            let reader = invocation.request.ignoresStandardInput ? nil : LineReader(input)
            let conversation = WebSocketConversation(
                manager: manager,
                request: composed.request,
                sink: output.sink,
                input: reader
            )
            try await conversation.run()
            return .success
        }
        let printer = ResponsePrinter(
            output.parts,
            to: output.sink,
            style: output.style,
            printsIntermediate: invocation.output.verbosity > 0,
            isStreaming: invocation.output.isStreaming,
            charset: invocation.output.responseCharset,
            hiding: composed.hiddenFields
        )
        if invocation.request.showsCurlCommand {
            try output.sink.write(curlCommand + "\n")
            if invocation.output.verbosity == 0 { return .success }
        }
        if invocation.streams.repetitions == nil || invocation.request.isOffline { try printer.print(printed) }
        if invocation.request.isOffline { return .success }
        if let count = invocation.streams.repetitions { return try await runRepeatedly(count) }
        if invocation.streams.receivesEvents {
            let listener = EventListener(
                manager: manager,
                composed: composed,
                sink: output.sink,
                style: output.style,
                timeout: invocation.network.timeout
            )
            try await listener.run()
            return .success
        }
        return try await runOnce(printer)
    }

    /// Sets the interceptors of the manager. The interceptor of repetitions is set only for handshakes of WebSockets
    /// and for event streams. An exchange decides itself about repetitions, before it prints the head of a response.
    private func setInterceptors() {
        var interceptors: [any RequestInterceptor] = []
        if let compression { interceptors.append(compression) }
        if let retries = Retries(invocation), invocation.mode == .webSocket || invocation.streams.receivesEvents {
            interceptors.append(retries.policy)
            manager.observers.append(retries)
        }
        manager.interceptors = RequestInterceptors(
            call: interceptors,
            attempt: composed.signature.map { [$0] } ?? []
        )
    }

    private var exchange: RequestExchange {
        RequestExchange(
            manager: manager,
            composed: prepared,
            followsRedirects: invocation.network.followsRedirects || invocation.download.isRequested,
            maximumRedirects: invocation.network.maximumRedirects,
            retries: Retries(invocation)
        )
    }

    /// The request with the fields of a download.
    private var prepared: ComposedRequest {
        var prepared = composed
        guard let offset = output.downloadedLength else { return prepared }
        // The offset counts the bytes that are transferred, so they must not be encoded.
        prepared.request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        if offset > 0 { prepared.request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range") }
        return prepared
    }

    /// The request that is sent, with the fields that are added to it.
    private var printed: ComposedRequest {
        var printed = prepared
        if invocation.streams.receivesEvents { printed.request.headers = EventListener.headers(of: printed.request) }
        if let cookie, printed.request.value(forHTTPHeaderField: "Cookie") == nil {
            printed.request.setValue(cookie, forHTTPHeaderField: "Cookie")
        }
        guard let compression, case .data = printed.body,
            let coded = compression.compressed(printed.complete), let content = coded.httpBody
        else { return printed }
        printed.request.headers = coded.headers
        printed.body = .data(content)
        return printed
    }

    private var compression: RequestCompression? {
        invocation.request.compression.map { RequestCompression(threshold: 1, coding: $0) }
    }

    private var curlCommand: String {
        var request = composed.complete
        // A form is shown if it is short.
        if case .form(let form) = composed.body, form.contentLength < 1 << 16, let data = try? form.data() {
            request.httpBodyStream = nil
            request.httpBody = data
        }
        // The field is removed, because libcurl computes it.
        request.setValue(nil, forHTTPHeaderField: "Content-Length")
        guard let netrc = composed.netrc else { return request.cURLDescription(redaction: .none) + curlSignature }
        // curl reads the password from the file itself.
        request.setValue(nil, forHTTPHeaderField: "Authorization")
        return request.cURLDescription(redaction: .none) + " --netrc-file " + ShellQuoting.quoted(netrc.path)
    }

    /// The options of curl for the signature, behind the URL.
    private var curlSignature: String {
        guard let signing = invocation.credentials.signing?.text else { return "" }
        let user =
            invocation.credentials.text.map(ShellQuoting.quoted) ?? #""$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY""#
        return " --aws-sigv4 \(ShellQuoting.quoted(signing)) --user \(user)"
    }

    private func runOnce(_ printer: ResponsePrinter) async throws -> ExitStatus {
        let download = output.download.map {
            FileDownload(to: $0, printer: printer, showsProgress: output.showsProgress)
        }
        let outcome =
            if let download { await exchange.run(download) } else { await exchange.run(printer) }
        download?.finish(hasFailed: outcome.error != nil || outcome.outputFailure != nil)
        if invocation.output.showsTimings {
            try Sink.standardError.write(TimingsTable.text(outcome.transactions))
        }
        if let failure = outcome.outputFailure { throw failure }
        if outcome.hasTooManyRedirects {
            throw LarkspurError(
                .tooManyRedirects,
                "Too many redirects (--max-redirects=\(invocation.network.maximumRedirects))."
            )
        }
        if let failure = download?.failure { throw UsageError(failure) }
        if outcome.error == nil || outcome.response != nil { try printer.finish(outcome.timeline) }
        if let error = outcome.error { throw error }
        guard let code = outcome.response?.statusCode else { return .error }
        if download?.isComplete == true { return .success }
        return statusOfResponse(code)
    }

    private func statusOfResponse(_ code: Int) -> ExitStatus {
        guard invocation.network.checksStatus || output.download != nil else { return .success }
        let status = ExitStatus(statusCode: code, followsRedirects: invocation.network.followsRedirects)
        if status != .success, !output.sink.isTerminal || invocation.output.isQuiet {
            Sink.standardError.report("larkspur: warning: HTTP \(code) \(StatusPhrase.of(code))")
        }
        return status
    }

    private func runRepeatedly(_ count: Int) async throws -> ExitStatus {
        let repetition = Repetition(exchange: exchange, count: count, parallelism: invocation.streams.parallelism)
        let result = await repetition.run()
        try output.sink.write(result.summary.table(elapsed: result.elapsed))
        if let error = result.firstError { throw error }
        guard invocation.network.checksStatus, let worst = result.summary.statuses.keys.max() else { return .success }
        return statusOfResponse(worst)
    }
}
