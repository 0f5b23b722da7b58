/// The cost of opening streams or WebSockets that stay idle.
package struct Opening: Sendable {
    /// The number of streams that are opened at the same time.
    package static let atOnce = 64

    package let streams: Int
    private var meter = Meter()
    /// The growth of the resident set.
    private var residentKiB = 0

    package init(streams: Int) { self.streams = streams }

    package mutating func start() {
        residentKiB -= ProcessStatus().residentKiB
        meter.start()
    }

    package mutating func stop() {
        meter.stop()
        residentKiB += ProcessStatus().residentKiB
    }

    package var json: String {
        #"{"streams":\#(streams),"cpu_us":\#(meter.processorMicroseconds),"wall_us":\#(meter.wallMicroseconds),"#
            + #""rss_kib":\#(residentKiB)}"#
    }
}
