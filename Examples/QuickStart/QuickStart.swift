import Larkspur
import LarkspurActivity

/// A program that shows Larkspur's main use: awaited calls, calls with closures, and notifications of tasks.
///
///     swift run QuickStart        against an embedded server
///     swift run QuickStart URL    one GET of that URL
///
/// It exits with a status other than 0 if a call that should have succeeded has failed.
@main
enum QuickStart {
    static func main() async throws {
        guard let url = CommandLine.arguments.dropFirst().first else { return try await Tour().run() }
        do {
            try await get(url)
        } catch {
            FileHandle.standardError.write(Data("\(error.message)\n".utf8))
            exit(1)
        }
    }

    /// Sends a GET request to any URL and prints the content, of any type.
    private static func get(_ url: String) async throws(LarkspurError) {
        // A terminal shows the spinner, if the request takes longer than a second.
        let spinner = Spinner(label: url)
        let monitor = NetworkActivityMonitor()
        monitor.setActivityHandler { $0 ? spinner.start() : spinner.stop() }
        monitor.isEnabled = true
        defer { spinner.stop() }
        print(try await SessionManager.default.get(url).string)
    }
}
