import LarkspurCredentials
import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

/// The places at which secrets of a session manager's calls may be printed or stored.
struct PrintedPlaces: Sendable {
    private let printed = Recorder<(place: String, text: String)>()
    private let recorder = HARRecorder()
    private let cassette: Cassette?
    private let file: URL
    let manager: SessionManager

    /// - Parameter isRecorded: Whether a cassette records the calls. Default: true.
    init(_ server: LoopbackServer, in folder: TemporaryFolder, isRecorded: Bool = true) throws {
        file = folder.url.appendingPathComponent("cassette.json")
        cassette = isRecorded ? try Cassette(file, mode: .record, transport: .curl) : nil
        let transport = cassette?.transport ?? .curl
        manager = SessionManager(baseURL: server.baseURL, configuration: .testing, transport: transport)
        let printed = printed
        manager.observers = [
            ConsoleLogger(level: .content, contentLimit: 1 << 20) { printed.record(("log", $0)) }, recorder,
            HTTPMeasurements { printed.record(("measurement", "\($0)")) },
        ]
        manager.observe { printed.record(("event", "\($0) \(String(reflecting: $0))")) }
    }

    /// Records the texts of a value, and those of its parts.
    func record(_ place: String, _ value: Any) {
        var dumped = ""
        dump(value, to: &dumped)
        printed.record((place, "\(value) \(String(reflecting: value)) \(dumped)"))
    }

    func record(_ place: String, text: String) { printed.record((place, text)) }

    func record(_ task: SessionTask) { printed.record(("task", "\(task) \(task.cURLDescription())")) }

    func record(_ error: LarkspurError) { printed.record(("error", allTexts(of: error))) }

    /// Returns all texts by their places, after the calls have ended.
    /// - Parameter needed: The places that must have a text; otherwise there was nothing to find.
    func texts(
        _ needed: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [(place: String, text: String)] {
        try await manager.finishAll()
        try cassette?.save()
        var all =
            printed.values + [
                ("archive", String(decoding: recorder.data, as: UTF8.self)), ("manager", "\(manager)"),
            ]
        if cassette != nil { all.append(("cassette", try String(contentsOf: file, encoding: .utf8))) }
        for place in needed + ["log", "event", "archive"] + (cassette == nil ? [] : ["cassette"]) {
            let found = all.filter { $0.place == place }.map(\.text).joined()
            #expect(!found.isEmpty, "\(place) has no text", sourceLocation: sourceLocation)
        }
        return all
    }
}

/// Everything that a program may print of an error.
private func allTexts(of error: LarkspurError) -> String { printed(error) }

/// Expects that no text contains a secret, also in an encoding.
func expectNone(
    of secrets: [String],
    in texts: [(place: String, text: String)],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    for secret in secrets {
        for (place, text) in texts {
            #expect(
                !SecretSearch.isFound(secret, in: text),
                "\(place) shows \(secret): \(text)",
                sourceLocation: sourceLocation
            )
        }
    }
}
