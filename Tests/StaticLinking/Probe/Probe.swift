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

        let image = try await SessionManager().get(server.url("/image/png")).value(as: .image)
        print("image: \(image.width) x \(image.height) pixels")
        if status != 200 || image.width != 16 { exit(1) }
    }
}
