import LarkspurImages
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
        if try status != 200 || !hasImagesInSettings() { exit(1) }
    }

    /// Whether settings bring back a serializer of images, whose reader is found by its name alone.
    private static func hasImagesInSettings() throws -> Bool {
        let settings = try SessionManager(responseSerializer: .image).settings
        let serializer = try SessionManager(settings: settings).responseSerializer
        print("Settings: \(type(of: serializer))")
        return serializer is ImageResponseSerializer
    }
}
