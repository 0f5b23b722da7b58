import Larkspur

/// The samples of `Docs/StreamsAndEvents.md`, each between two markers; what they print is noted.
struct StreamSamples: Sendable {
    nonisolated struct Measurement: Codable, Sendable {
        var sensor: String
        var value: Double
    }

    let manager: SessionManager
    let file: URL
    let output = Recorder<String>()

    private func print(_ items: Any...) {
        output.record(items.map { "\($0)" }.joined(separator: " "))
    }

    private func print(_ text: String, terminator: String) {
        output.record(text + terminator)
    }

    func chunks() async throws {
        // sample: content in parts
        let handle = try FileHandle(forWritingTo: file)
        for try await chunk in manager.get("disk.iso").chunks {
            try handle.write(contentsOf: chunk)
        }
        try handle.close()
        // end
    }

    func lines() async throws {
        // sample: content line by line
        for try await line in manager.get("log").lines where line.hasPrefix("error") {
            print(line)
        }
        // end
    }

    func values() async throws {
        // sample: JSON in lines
        nonisolated struct Measurement: Codable, Sendable {
            var sensor: String
            var value: Double
        }

        for try await measurement in manager.get("measurements").decoded(as: Measurement.self) {
            print(measurement.sensor, measurement.value)
        }
        // end
    }

    func events() async throws {
        // sample: server-sent events
        for try await event in manager.events("updates") {
            switch event.type {
            case "added": print("added", event.data)
            case "removed": print("removed", event.data)
            default: break
            }
        }
        // end
    }

    func rules(lastID: String) async throws {
        // sample: rules of reconnection
        var rules = Reconnection.automatic
        rules.maximumAttempts = 10
        let fields: HTTPHeaders = ["Last-Event-ID": lastID]
        for try await event in manager.events(
            "updates",
            headers: fields,
            idleTimeout: .seconds(45),
            reconnection: rules
        ) {
            print(event.id, event.data)
        }
        // end
    }

    func languageModel(_ api: String, _ key: String) async throws {
        // sample: stream of a language model
        let manager = SessionManager(baseURL: api)
        manager.requestSettings.setAuthorization(bearerToken: key)
        let question: JSONValue = [
            "model": "gpt-4o-mini",
            "messages": [["role": "user", "content": "Why is the sky blue?"]],
            "stream": true,
        ]
        let events = manager.post("chat/completions", body: .json(question)).events
        for try await chunk in events.decoded(as: JSONValue.self, until: "[DONE]") {
            print(chunk["choices"][0]["delta"]["content"].string ?? "", terminator: "")
        }
        // end
    }

    func changes(since version: String) async throws {
        // sample: stream that continues
        nonisolated struct Change: Codable, Sendable {
            var name: String
            var version: String
        }

        let changes = manager.reconnecting { last in
            manager.get("changes", parameters: ["since": last?.version ?? version]).decoded(as: Change.self)
        }
        for try await change in changes { print(change.name, change.version) }
        // end
    }

    func opening() async throws {
        // sample: head before content
        let (head, content) = try await manager.get("disk.iso").open()
        print(head.statusCode, head.expectedContentLength)
        let data = try await content.collect(upTo: 10_000_000)
        print(data.count)
        // end
    }

    func dialogue() async throws {
        // sample: speak and listen
        let (spoken, speaker) = AsyncStream.makeStream(of: String.self)
        let body = RequestBody.writer(contentType: "text/plain") { writer in
            for await line in spoken { try await writer.write(line + "\n") }
        }
        try await manager.post("echo", body: body).open { head, content in
            var echoes = content.lines.makeAsyncIterator()
            for line in ["one", "two", "three"] {
                speaker.yield(line)
                print(try await echoes.next() ?? "the end")
            }
            speaker.finish()
            while let line = try await echoes.next() { print(line) }
            print(content.trailers?["X-Lines-Received"] ?? "no trailer")
        }
        // end
    }
}

// sample: client of the Model Context Protocol
struct MCPClient {
    let manager: SessionManager
    var fields: HTTPHeaders = ["Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"]

    mutating func send(_ message: JSONValue) async throws -> JSONValue? {
        let (head, content) = try await manager.post("mcp", body: .json(message), headers: fields).validate().open()
        if let session = head.value(forHTTPHeaderField: "Mcp-Session-Id") { fields["Mcp-Session-Id"] = session }
        switch (head.statusCode, head.mimeType) {
        case (202, _): return nil
        case (_, "text/event-stream"):
            let messages = content.events.decoded(as: JSONValue.self)
            return try await messages.first { $0["id"] == message["id"] && $0["method"] == .null }
        default: return try JSONDecoder().decode(JSONValue.self, from: await content.collect(upTo: 1 << 20))
        }
    }
}
// end
