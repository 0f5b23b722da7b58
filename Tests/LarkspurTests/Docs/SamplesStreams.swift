import Larkspur

/// The samples of `Docs/StreamsAndEvents.md`, each between two markers; what they print is noted.
struct StreamSamples: Sendable {
    struct Measurement: Codable, Sendable {
        var sensor: String
        var value: Double
    }

    struct Prompt: Codable, Sendable {
        var prompt: String
        var stream = true
    }

    let manager: SessionManager
    let file: URL
    let output = Recorder<String>()

    private func print(_ items: Any...) {
        output.record(items.map { "\($0)" }.joined(separator: " "))
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
        struct Measurement: Codable, Sendable {
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
            switch event.event {
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
        rules.initialDelay = .seconds(1)
        rules.maximumDelay = .seconds(30)
        rules.maximumAttempts = 10
        let events = manager.events(
            "updates",
            headers: ["Last-Event-ID": lastID],
            timeout: .seconds(45),
            reconnection: rules
        )
        for try await event in events { print(event.id, event.data) }
        // end
    }

    func chat() async throws {
        // sample: stream of a language model
        struct Prompt: Codable, Sendable {
            var prompt: String
            var stream = true
        }

        struct Delta: Codable, Sendable {
            var text: String
        }

        let chat = manager.post("chat", body: .json(Prompt(prompt: "Why is the sky blue?")))
        var text = ""
        for try await delta in chat.events.decoded(as: Delta.self, until: "[DONE]") { text += delta.text }
        print(text)
        // end
    }

    func changes(since version: String) async throws {
        // sample: stream that continues
        struct Change: Codable, Sendable {
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

    func scope() async throws {
        // sample: head and content in a scope
        let first = try await manager.get("log").open { head, content in
            guard head.statusCode == 200 else { return "status \(head.statusCode)" }
            for try await line in content.lines { return line }
            return "no line"
        }
        print(first)
        // end
    }

    func headOfSequence() async throws {
        // sample: head of a sequence
        let content = manager.get("log").chunks
        let type = try await content.head.mimeType
        for try await line in content.lines { print(type ?? "no type", line) }
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

    func errors() async throws {
        // sample: errors of a stream
        do {
            for try await event in manager.post("chat", body: .json(Prompt(prompt: ""))).events {
                print(try JSONDecoder().decode(JSONValue.self, from: Data(event.data.utf8))["text"].string ?? "")
            }
        } catch let error as LarkspurError {
            print(error.statusCode ?? 0, error.message)
        }
        // end
    }

    func leaving() async throws {
        // sample: leaving a loop early
        for try await line in manager.get("log").lines {
            print(line)
            break
        }
        // end
    }

    func cancelling() async throws {
        // sample: cancelling a loop
        let work = Task {
            for try await event in manager.events("updates") { print(event.data) }
        }
        work.cancel()
        // end
        _ = await work.result
    }
}
