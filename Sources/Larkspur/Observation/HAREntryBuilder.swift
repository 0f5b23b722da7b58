internal import HTTPSyntax

/// A converter of a call that has ended into entries of an archive.
struct HAREntryBuilder {
    let redaction: Redaction
    let contentLimit: Int

    func entries(of event: CallEvent, _ completion: TaskCompletion) -> [HAREntry] {
        let transactions = completion.timeline.transactions
        // The event has the content of the last response only.
        guard let last = transactions.indices.last else { return [entry(of: event, completion)].compactMap(\.self) }
        return transactions.indices.map { index in
            entry(of: transactions[index], index == last ? event : nil)
        }
    }

    /// Returns the entry of a transaction.
    /// - Parameter end: The end of the call, if the transaction is the last one.
    private func entry(of metrics: TransactionMetrics, _ end: CallEvent?) -> HAREntry {
        let timings = timings(of: metrics)
        // If the server has validated a cached response, the call gets that response, but the entry shows the response
        // of the server.
        let response = metrics.source == .validatedCache ? metrics.response : end?.httpResponse ?? metrics.response
        let content = end?.completion?.data
        let version = metrics.protocolName.map { $0.uppercased() } ?? "HTTP/1.1"
        var request = self.request(metrics.request, version)
        request.headersSize = metrics.requestHeaderBytes
        request.bodySize = metrics.requestBodyBytes
        var entry = HAREntry(
            startedDateTime: Self.text(of: metrics.start),
            time: timings.total,
            request: request,
            response: self.response(response, version, content, size: metrics.responseBodyBytesDecoded),
            timings: timings,
            serverIPAddress: metrics.remoteAddress,
            connection: metrics.localPort.map { "\($0)" }
        )
        entry.response.headersSize = metrics.responseHeaderBytes
        entry.response.bodySize = metrics.responseBodyBytes
        entry.cache.comment = metrics.cacheUse.map { "\($0)" }
        if let error = end?.error { entry.comment = "\(error.code.label): \(error.message.onOneLine)" }
        return entry
    }

    /// Returns the entry of a call without metrics: its transport does not report them, or it has sent nothing.
    private func entry(of event: CallEvent, _ completion: TaskCompletion) -> HAREntry? {
        guard let request = event.request else { return nil }
        let timeline = completion.timeline
        var timings = HAREntry.Timings()
        timings.wait = (timeline.latency ?? timeline.requestDuration ?? .zero).milliseconds
        if let first = timeline.responseReceived, let end = timeline.completed {
            timings.receive = max(0, first.duration(to: end).milliseconds)
        }
        let start = event.date.addingTimeInterval(-(timeline.totalDuration ?? .zero).timeInterval)
        var entry = HAREntry(
            startedDateTime: Self.text(of: start),
            time: timings.total,
            request: self.request(request, "HTTP/1.1"),
            response: response(event.httpResponse, "HTTP/1.1", completion.data, size: nil),
            timings: timings
        )
        if let error = completion.error { entry.comment = "\(error.code.label): \(error.message.onOneLine)" }
        return entry
    }

    private func request(_ request: URLRequest, _ version: String) -> HAREntry.Request {
        let fields = request.allHTTPHeaderFields ?? [:]
        var result = HAREntry.Request(
            method: request.httpMethod ?? "GET",
            url: request.url.map(redaction.text(of:)) ?? "",
            httpVersion: version,
            headers: headers(fields),
            queryString: query(of: request.url),
            postData: nil,
            headersSize: -1,
            bodySize: Int64(request.httpBody?.count ?? -1)
        )
        guard let body = request.httpBody, !body.isEmpty else { return result }
        let type = request.value(forHTTPHeaderField: "Content-Type")
        var data = HAREntry.PostData(mimeType: type ?? "", text: "")
        if body.count > contentLimit {
            data.comment = "\(body.count) bytes, which are left out"
        } else if let text = String(validating: redaction.content(body, type: type), as: UTF8.self) {
            data.text = text
        } else {
            data.comment = "\(body.count) bytes that are not text"
        }
        result.postData = data
        return result
    }

    private func response(
        _ response: HTTPURLResponse?,
        _ version: String,
        _ data: Data?,
        size: Int64?
    ) -> HAREntry.Response {
        // A request without a response has the status 0, as in browsers.
        guard let response else {
            let none = HAREntry.Content(size: 0, mimeType: "x-unknown")
            return HAREntry.Response(
                status: 0,
                statusText: "",
                httpVersion: version,
                headers: [],
                content: none,
                redirectURL: "",
                headersSize: -1,
                bodySize: -1
            )
        }
        let fields = response.allHeaderFields as? [String: String] ?? [:]
        let location = response.value(forHTTPHeaderField: "Location")
        return HAREntry.Response(
            status: response.statusCode,
            statusText: HTTPURLResponse.localizedString(forStatusCode: response.statusCode),
            httpVersion: version,
            headers: headers(fields),
            content: content(data, response.contentType, size: size),
            redirectURL: location.map(redaction.text) ?? "",
            headersSize: -1,
            bodySize: Int64(data?.count ?? -1)
        )
    }

    private func content(_ data: Data?, _ type: String?, size: Int64?) -> HAREntry.Content {
        let size = data.map { Int64($0.count) } ?? size ?? 0
        var content = HAREntry.Content(size: size, mimeType: type ?? "x-unknown")
        guard let data, !data.isEmpty else { return content }
        guard data.count <= contentLimit else {
            content.comment = "\(data.count) bytes, which are left out"
            return content
        }
        let shown = redaction.content(data, type: type)
        if let text = String(validating: shown, as: UTF8.self) {
            content.text = text
        } else {
            content.text = shown.base64EncodedString()
            content.encoding = "base64"
        }
        return content
    }

    private func headers(_ fields: [String: String]) -> [HAREntry.NamedValue] {
        fields.sorted { $0.key < $1.key }.map { name, value in
            .init(name: name, value: redaction.value(of: HTTPHeaders.Field(name: name, value: value)))
        }
    }

    private func query(of url: URL?) -> [HAREntry.NamedValue] {
        guard let url, let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems else { return [] }
        return items.map { item in
            let isHidden = redaction.hides(parameter: item.name)
            return .init(name: item.name, value: isHidden ? Redaction.placeholder : redaction.text(item.value ?? ""))
        }
    }

    /// Returns the durations of the phases. In the metrics, each time counts from the start of the transaction.
    private func timings(of metrics: TransactionMetrics) -> HAREntry.Timings {
        var timings = HAREntry.Timings()
        var position = Duration.zero
        func phase(until end: Duration?) -> Double {
            guard let end else { return -1 }
            defer { position = max(position, end) }
            return max(0, (end - position).milliseconds)
        }
        timings.dns = phase(until: metrics.nameLookupEnd)
        let beforeConnect = position
        timings.connect = phase(until: metrics.connectEnd)
        if let secure = metrics.secureConnectEnd {
            timings.ssl = phase(until: secure)
            // In the format, the time to connect includes the time for TLS.
            timings.connect = max(0, (secure - beforeConnect).milliseconds)
        }
        timings.blocked = phase(until: metrics.requestStart)
        timings.wait = max(0, phase(until: metrics.responseStart))
        timings.receive = max(0, phase(until: metrics.responseEnd))
        return timings
    }

    /// Returns a date in the format of ISO 8601, in UTC and with milliseconds.
    private static func text(of date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension Duration {
    /// The duration in milliseconds, to the microsecond.
    fileprivate var milliseconds: Double { (timeInterval * 1_000_000).rounded() / 1000 }
}
