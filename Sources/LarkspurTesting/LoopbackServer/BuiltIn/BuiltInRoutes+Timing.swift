internal import Foundation

/// Routes whose responses are delayed.
extension BuiltInRoutes {
    mutating func addTiming() {
        add("/delay/{seconds}", nil) { request in
            try .echo(request, [.url, .args, .form, .data, .origin, .headers, .files])
                .delayed(by: try request.seconds("seconds", default: 0))
        }
        add("/drip") { request in
            let count = try request.number("numbytes", 1...10_000_000, default: 10)
            let pause = try request.seconds("duration", default: 2) / TimeInterval(count)
            let byte = Response.Step.text("*")
            return .stream([byte, .repeated([.pause(pause), byte], times: count - 1)])
                .with { $0.status = (try? request.number("code", 200...999, default: 200)) ?? 200 }
                .delayed(by: try request.seconds("delay", default: 0))
        }
    }
}
