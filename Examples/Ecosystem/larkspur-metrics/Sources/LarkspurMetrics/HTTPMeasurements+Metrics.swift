public import CoreMetrics
public import Larkspur

extension CallObserver where Self == HTTPMeasurements {
    /// Returns an observer that records measurements of requests under OpenTelemetry's names for HTTP clients.
    ///
    ///     manager.observers.append(.metrics())
    ///
    /// The duration of requests is a timer, the number of requests under way a meter, and the sizes of their content
    /// are recorders.
    /// - Parameter factory: The factory of the metrics. Default: that of the metrics system, as it is now.
    public static func metrics(factory: any MetricsFactory = MetricsSystem.factory) -> HTTPMeasurements {
        HTTPMeasurements { record($0, factory) }
    }

    private static func record(_ measurement: HTTPMeasurements.Measurement, _ factory: any MetricsFactory) {
        let (label, value) = (measurement.name, measurement.value)
        let dimensions = measurement.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        switch (measurement.instrument, measurement.unit) {
        case (.upDownCounter, _):
            let meter = Meter(label: label, dimensions: dimensions, factory: factory)
            if value < 0 { meter.decrement(by: -value) } else { meter.increment(by: value) }
        case (.histogram, "s"):
            CoreMetrics.Timer(label: label, dimensions: dimensions, factory: factory).recordSeconds(value)
        default:
            Recorder(label: label, dimensions: dimensions, factory: factory).record(value)
        }
    }
}
