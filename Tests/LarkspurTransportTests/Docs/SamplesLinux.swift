#if canImport(FoundationNetworking)
import LarkspurTransport

/// The samples of `README.md` and `Docs/Linux.md` that do with LarkspurTransport alone, each between two markers; what
/// they print is noted.
struct LinuxSamples: Sendable {
    let url: URL
    let output = PrintedLines()

    private func print(_ item: Any) { output.add("\(item)") }

    func dropIn() async throws {
        // sample: drop-in session
        let session = CurlURLSession(configuration: .default)
        let (data, response) = try await session.data(from: url)
        print("\((response as? HTTPURLResponse)?.statusCode ?? 0), \(data.count) bytes")
        // end
    }

    func availability() {
        // sample: availability
        if let reason = CurlURLSession.unavailabilityReason {
            print("no engine: \(reason)")
        } else {
            print("libcurl \(CurlURLSession.libcurlVersion ?? "")")
        }
        // end
    }

    func choice(_ file: URL) {
        // sample: libcurl of choice
        do {
            try CurlURLSession.useLibcurl(at: file)
        } catch {
            print("\(error.reason): \(error.message)")
        }
        // end
    }

    func http3() -> CurlURLSession {
        // sample: HTTP/3
        var options = CurlURLSession.Options()
        options.http3 = .automatic

        let session = CurlURLSession(configuration: .default, options: options)
        print(session.offersHTTP3)
        // end
        return session
    }

    func lines(_ session: URLSession) async throws {
        // sample: lines of a response
        let (bytes, _) = try await session.bytes(from: url)
        for try await line in bytes.lines {
            print(line)
        }
        // end
    }

    func cause(_ session: URLSession) async throws {
        // sample: libcurl's error
        do {
            _ = try await session.data(from: url)
        } catch let error as URLError {
            print("\(error.code.rawValue): \(error.localizedDescription)")
            if let cause = error.curlError { print("libcurl's code \(cause.code)") }
        }
        // end
    }

    func overloads(_ session: URLSession, _ request: URLRequest, _ delegate: any URLSessionTaskDelegate) async throws {
        // sample: overloads of the module
        _ = try await session.data(for: request)
        _ = try await session.data(for: request, delegate: delegate)
        // end
    }

    func foundationsOverloads(_ session: URLSession, _ request: URLRequest) async throws {
        // sample: overloads of Foundation
        let delegate: (any URLSessionTaskDelegate)? = nil
        _ = try await session.data(for: request, delegate: nil)
        _ = try await session.data(for: request, delegate: delegate)
        // end
    }
}

final class MetricsPrinter: NSObject, URLSessionDataDelegate {
    let output = PrintedLines()

    private func print(_ item: Any) { output.add("\(item)") }

    // sample: metrics for a delegate
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        guard let metrics = metrics as? CurlTaskMetrics else { return }
        let time = metrics.interval.duration
        print("\(time) s, \(metrics.followedRedirectCount) redirects, \(metrics.transactions.count) requests")
    }
    // end

    // sample: metrics of a task
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        for transaction in task.transactionMetrics {
            print("\(transaction.protocolName ?? "no response"), \(transaction.responseBodyBytes) bytes")
        }
    }
    // end
}
#endif
