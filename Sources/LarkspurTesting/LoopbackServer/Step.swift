public import Foundation

extension LoopbackServer.Response {
    /// One step of sending a response.
    public indirect enum Step: Sendable {
        /// A step that sends bytes. In a chunked body, they form one chunk.
        case bytes(Data)
        /// A step that waits for a gate that the test opens.
        ///
        /// If the client disconnects or the server stops, the wait and the connection end.
        case wait(LoopbackServer.Gate)
        /// A step that opens a gate. With the gate, a test can wait until the response has reached this step.
        case open(LoopbackServer.Gate)
        /// A step that waits for a time, unless the client disconnects or the server stops.
        case pause(Duration)
        /// Steps that are repeated a number of times; nil to repeat them until the client disconnects.
        case repeated([Step], times: Int? = nil)

        /// Sends text as UTF-8.
        public static func text(_ text: String) -> Step {
            .bytes(Data(text.utf8))
        }

        /// A step that sends an interim response (1xx), for ``LoopbackServer/Response/prelude``.
        public static func informational(_ status: Int, headers: LoopbackServer.Fields = [:]) -> Step {
            .bytes(SentHead(status: status, reason: nil, fields: headers).bytes)
        }

        /// The number of bytes that the step sends; nil if it has no end.
        var byteCount: Int? {
            switch self {
            case .bytes(let data): data.count
            case .wait, .open, .pause: 0
            case .repeated(let steps, let times):
                times.flatMap { times in
                    steps.byteCount.flatMap { count in
                        let (product, isTooMany) = count.multipliedReportingOverflow(by: max(times, 0))
                        return isTooMany ? nil : product
                    }
                }
            }
        }

        /// Returns the step with transformed bytes.
        func mapBytes(_ transform: (Data) -> Data) -> Step {
            switch self {
            case .bytes(let data): .bytes(transform(data))
            case .wait, .open, .pause: self
            case .repeated(let steps, let times): .repeated(steps.map { $0.mapBytes(transform) }, times: times)
            }
        }
    }
}

extension [LoopbackServer.Response.Step] {
    /// The number of bytes that the steps send; nil if a step has no end.
    var byteCount: Int? {
        reduce(0) { sum, step in
            guard let sum, let count = step.byteCount else { return nil }
            let (total, isTooMany) = sum.addingReportingOverflow(count)
            return isTooMany ? nil : total
        }
    }
}
