internal import HTTPSyntax
import Synchronization

/// An observer that reports measurements with OpenTelemetry's names for HTTP clients, for any metrics system.
///
///     manager.observers.append(
///         HTTPMeasurements { measurement in
///             print(measurement.name, measurement.value, measurement.unit, measurement.attributes)
///         }
///     )
///
/// The durations and sizes of redirects, challenges and retries are measured as separate requests, as in OpenTelemetry.
/// If a response comes from the cache and no request was sent, it has no duration and no sizes. Attributes contain no
/// path and no query. So the number of their values stays small.
public final class HTTPMeasurements: CallObserver {
    /// The kind of a measurement.
    public struct Instrument: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// A value. A system of metrics records the distribution of such values.
        public static let histogram = Self(description: "histogram")
        /// A change of a count. It may be negative.
        public static let upDownCounter = Self(description: "upDownCounter")
    }

    /// One measurement.
    public struct Measurement: Sendable, Hashable {
        /// The name, such as `http.client.request.duration`.
        public let name: String
        /// The kind of the measurement.
        public let instrument: Instrument
        /// The value in the unit.
        public let value: Double
        /// The unit in the notation of UCUM: `s`, `By` or `{request}`.
        public let unit: String
        /// The attributes, by OpenTelemetry's names such as `http.request.method`.
        public let attributes: [String: String]
    }

    private struct Running {
        let attributes: [String: String]
        let start: ContinuousClock.Instant
        var hasTransactions = false
        /// The transaction without a response. It is reported when the attempt ends, because the error is not known
        /// earlier.
        var failed: TransactionMetrics?
    }

    /// The kinds of events that are measured.
    public let kinds: Set<CallEvent.Kind> = [.attemptStarted, .transactionEnded, .attemptEnded]

    /// The methods that have their own value of the attribute `http.request.method`. For all other methods the value is
    /// `_OTHER`, so that the number of values stays small.
    package let knownMethods: Set<HTTPMethod>
    private let report: @Sendable (Measurement) -> Void
    private let running = Mutex<[ObjectIdentifier: Running]>([:])

    /// Creates an observer.
    /// - Parameters:
    ///   - additionalMethods: The methods that get a separate value of the attribute `http.request.method`, in addition
    ///     to those of OpenTelemetry's conventions: the methods of RFC 9110, PATCH and QUERY. Default: none.
    ///   - report: A closure that is called with each measurement, on the completion queue of the session manager.
    public init(
        additionalMethods: Set<HTTPMethod> = [],
        report: @escaping @Sendable (Measurement) -> Void
    ) {
        knownMethods = additionalMethods.union(MethodProperties.common.map(HTTPMethod.init(rawValue:)))
        self.report = report
    }

    /// Reports the measurements of an event.
    public func observe(_ event: CallEvent) {
        guard let task = event.task.map(ObjectIdentifier.init) else { return }
        switch event.kind {
        case .attemptStarted:
            let attributes = attributes(of: event.request)
            running.withLock { $0[task] = Running(attributes: attributes, start: event.instant) }
            reportActive(1, attributes)
        case .transactionEnded:
            guard let transaction = event.transaction else { return }
            running.withLock { running in
                running[task]?.hasTransactions = true
                if transaction.response == nil { running[task]?.failed = transaction }
            }
            if transaction.source != .cache, transaction.response != nil { reportRequest(transaction, nil) }
        case .attemptEnded:
            guard let attempt = running.withLock({ $0.removeValue(forKey: task) }) else { return }
            reportActive(-1, attempt.attributes)
            if let failed = attempt.failed {
                reportRequest(failed, event.error?.code.label ?? "_OTHER")
            } else if !attempt.hasTransactions {
                reportRequest(event, attempt)
            }
        default: break
        }
    }

    private func reportActive(_ change: Double, _ attributes: [String: String]) {
        report(
            Measurement(
                name: "http.client.active_requests",
                instrument: .upDownCounter,
                value: change,
                unit: "{request}",
                attributes: attributes
            )
        )
    }

    private func reportRequest(_ transaction: TransactionMetrics, _ errorType: String?) {
        var attributes = attributes(of: transaction.request)
        attributes["network.protocol.version"] = transaction.protocolName.map(Self.version)
        Self.add(transaction.response?.statusCode, errorType: errorType, to: &attributes)
        reportHistogram("request.duration", transaction.responseEnd.timeInterval, "s", attributes)
        reportHistogram("request.body.size", Double(transaction.requestBodyBytes), "By", attributes)
        reportHistogram("response.body.size", Double(transaction.responseBodyBytes), "By", attributes)
    }

    /// Reports an attempt of a transport without metrics.
    private func reportRequest(_ event: CallEvent, _ attempt: Running) {
        var attributes = attempt.attributes
        Self.add(event.httpResponse?.statusCode, errorType: event.error?.code.label, to: &attributes)
        let duration = attempt.start.duration(to: event.instant)
        reportHistogram("request.duration", max(.zero, duration).timeInterval, "s", attributes)
    }

    private func reportHistogram(_ name: String, _ value: Double, _ unit: String, _ attributes: [String: String]) {
        report(
            Measurement(
                name: "http.client." + name,
                instrument: .histogram,
                value: value,
                unit: unit,
                attributes: attributes
            )
        )
    }

    /// Adds the status, and the type of the error. A status from 400 on is an error, too.
    private static func add(_ status: Int?, errorType: String?, to attributes: inout [String: String]) {
        attributes["http.response.status_code"] = status.map { "\($0)" }
        attributes["error.type"] = errorType ?? (status.map { $0 >= 400 } == true ? status.map { "\($0)" } : nil)
    }

    private func attributes(of request: URLRequest?) -> [String: String] {
        let method = HTTPMethod(rawValue: request?.httpMethod ?? "GET")
        let scheme = request?.url?.scheme?.lowercased()
        var attributes = ["http.request.method": knownMethods.contains(method) ? method.rawValue : "_OTHER"]
        attributes["server.address"] = request?.url?.host
        attributes["server.port"] = (request?.url?.port ?? (scheme == "https" ? 443 : 80)).description
        attributes["url.scheme"] = scheme
        return attributes
    }

    /// Returns the version of a protocol with an ALPN name.
    private static func version(_ name: String) -> String {
        switch name {
        case "h2": "2"
        case "h3": "3"
        default: name.begins(with: "http/") ? String(name.dropFirst(5)) : name
        }
    }
}
