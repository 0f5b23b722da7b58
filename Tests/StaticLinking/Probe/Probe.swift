import LarkspurTesting
import LarkspurTransport

/// A client of a server in the same process, which a program without Swift's dynamic libraries has to be able to be.
@main
enum Probe {
    static func main() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let session = CurlURLSession(configuration: .ephemeral)
        let (_, response) = try await session.data(from: server.url("/get"))
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        print("libcurl \(CurlURLSession.libcurlVersion ?? "none"): status \(status)")
        if status != 200 { exit(1) }
    }
}
