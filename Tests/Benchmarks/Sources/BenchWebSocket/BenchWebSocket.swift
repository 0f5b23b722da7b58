internal import Foundation
internal import LarkspurTransport
internal import Measuring

/// Opens WebSockets and leaves them open: what is measured is the answering of the server's pings.
@main
struct BenchWebSocket {
    static func main() async {
        let options = Options()
        guard let url = URL(string: options.target.url), let seconds = options.seconds, options.webSockets > 0 else {
            end("--url, --seconds or --websockets is missing.")
        }
        let session = CurlURLSession(configuration: .ephemeral)
        // The first one makes what all of them share.
        var sockets = await open(1, url, in: session)
        var opening = Opening(streams: options.webSockets - 1)
        opening.start()
        sockets += await open(opening.streams, url, in: session)
        opening.stop()

        var meter = Meter()
        meter.start()
        try? await Task.sleep(for: .seconds(seconds))
        meter.stop()

        print(
            #"{"websockets":\#(sockets.count),"cpu_us":\#(meter.processorMicroseconds),"#
                + #""wall_us":\#(meter.wallMicroseconds),"peak_rss_kib":\#(ProcessStatus().peakResidentKiB),"#
                + #""opening":\#(opening.json)}"#
        )
        for socket in sockets { await expectEnd(of: socket) }
        session.finishTasksAndInvalidate()
    }

    /// Opens so many WebSockets, and returns when all are open.
    private static func open(_ count: Int, _ url: URL, in session: CurlURLSession) async -> [WebSocketTask] {
        let sockets = (0..<count).map { _ in session.webSocket(with: url) }
        await withDiscardingTaskGroup { group in
            for first in 0..<min(count, Opening.atOnce) {
                group.addTask {
                    for index in stride(from: first, to: count, by: Opening.atOnce) {
                        do {
                            try await sockets[index].open()
                        } catch {
                            Measuring.end("WebSocket \(index): \(error)")
                        }
                    }
                }
            }
        }
        return sockets
    }

    /// Waits until the server closes a WebSocket; a message, or a connection that was lost, ends the process.
    private static func expectEnd(of socket: WebSocketTask) async {
        do {
            let message = try await socket.receive()
            Measuring.end("The server has sent \(message).")
        } catch let error as WebSocketError where error.kind == .ended {
            return
        } catch {
            Measuring.end("A WebSocket was lost: \(error)")
        }
    }
}
