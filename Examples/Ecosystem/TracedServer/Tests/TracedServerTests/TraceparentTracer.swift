import InMemoryTracing
import Tracing

/// A tracer that records spans in memory, and carries their context in the field `traceparent` (W3C Trace Context), as
/// the tracers of OpenTelemetry do.
struct TraceparentTracer: Tracer {
    let memory = InMemoryTracer(
        idGenerator: InMemoryTracer.IDGenerator(
            nextTraceID: { Self.hexadecimal(.random(in: 1 ... .max)) + Self.hexadecimal(.random(in: 0 ... .max)) },
            nextSpanID: { Self.hexadecimal(.random(in: 1 ... .max)) }
        )
    )

    /// The spans that have ended, in the order of their ends.
    var spans: [FinishedInMemorySpan] { memory.finishedSpans }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> InMemorySpan {
        memory.startSpan(
            operationName,
            context: context(),
            ofKind: kind,
            at: instant(),
            function: function,
            file: fileID,
            line: line
        )
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let span = context.inMemorySpanContext else { return }
        injector.inject(span.traceparent, forKey: "traceparent", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let parts = extractor.extract(key: "traceparent", from: carrier)?.split(separator: "-").map(String.init) ?? []
        guard parts.count == 4 else { return }
        context.inMemorySpanContext = InMemorySpanContext(traceID: parts[1], spanID: parts[2], parentSpanID: nil)
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension InMemorySpanContext {
    /// The value of the field `traceparent` that carries the context.
    var traceparent: String { "00-\(traceID)-\(spanID)-01" }
}
