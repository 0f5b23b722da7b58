/// One measurement of one client: warms it up, measures it, and prints the figures as one line of JSON.
package struct Measurement<C: Client> {
    let options: Options
    let makeClient: @Sendable () -> C

    package init(_ options: Options, makeClient: @escaping @Sendable () -> C) {
        self.options = options
        self.makeClient = makeClient
    }

    package func run() async throws {
        switch options.workload {
        case .sessions: try await measureSessions(staying: false)
        case .sessionsAlive: try await measureSessions(staying: true)
        default: try await measureRequests()
        }
    }

    private func measureRequests() async throws {
        let client = makeClient()
        let request = try client.makeRequest(options.target)
        try await warmUp(client)
        let opening = try await openStreams(client)

        var meter = Meter()
        meter.start()
        let loop = ClosedLoop(requests: options.requests, seconds: options.seconds)
        await client.run(request, in: loop, inFlight: options.inFlight)
        meter.stop()

        check(loop)
        report(requests: loop.finished, meter, opening)
        // Open responses would be waited for.
        if options.idleStreams == 0 { await client.invalidate() }
    }

    private func openStreams(_ client: C) async throws -> Opening {
        var opening = Opening(streams: options.idleStreams)
        guard options.idleStreams > 0, let target = options.idleTarget else { return opening }
        let loop = ClosedLoop(requests: options.idleStreams)
        let request = try client.makeRequest(target)
        opening.start()
        await client.run(request, in: loop, inFlight: Opening.atOnce)
        opening.stop()
        if let failure = loop.failure { end("\(target.url): \(failure)") }
        return opening
    }

    private func warmUp(_ client: C) async throws {
        guard options.warmUpRequests > 0 else { return }
        let loop = ClosedLoop(requests: options.warmUpRequests)
        let request = try client.makeRequest(options.warmUpTarget ?? options.target)
        await client.run(request, in: loop, inFlight: min(options.inFlight, options.warmUpRequests))
        check(loop)
    }

    private func measureSessions(staying: Bool) async throws {
        var meter = Meter()
        var clients: [C] = []
        var samples: [(sessions: Int, status: ProcessStatus)] = []
        for number in 1...options.requests {
            meter.start()
            let client = makeClient()
            try await useOnce(client)
            if staying { clients.append(client) } else { await client.invalidate() }
            meter.stop()
            if number == options.requests / 5 || number == options.requests {
                // Clients that do not tell when a session is gone get the time to let it go.
                try await Task.sleep(for: .milliseconds(200))
                samples.append((number, ProcessStatus()))
            }
        }
        report(requests: options.requests, meter, Opening(streams: 0), samples: samples)
        for client in clients { await client.invalidate() }
    }

    private func useOnce(_ client: C) async throws {
        let loop = ClosedLoop(requests: 1)
        await client.run(try client.makeRequest(options.target), in: loop, inFlight: 1)
        check(loop)
    }

    private func check(_ loop: ClosedLoop) {
        if let failure = loop.failure { end("\(options.target.url): \(failure)") }
        if loop.finished == 0 { end("\(options.target.url): no request has ended") }
    }

    func report(
        requests: Int,
        _ meter: Meter,
        _ opening: Opening,
        samples: [(sessions: Int, status: ProcessStatus)] = []
    ) {
        let growth = samples.map { sessions, status in
            #"{"sessions":\#(sessions),"threads":\#(status.threads),"descriptors":\#(status.descriptors),"#
                + #""rss_kib":\#(status.residentKiB)}"#
        }
        print(
            #"{"requests":\#(requests),"cpu_us":\#(meter.processorMicroseconds),"#
                + #""wall_us":\#(meter.wallMicroseconds),"sleeps":\#(meter.sleeps),"#
                + #""peak_rss_kib":\#(ProcessStatus().peakResidentKiB),"#
                + #""opening":\#(opening.json),"growth":[\#(growth.joined(separator: ","))]}"#
        )
    }
}
