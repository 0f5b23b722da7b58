import Foundation
import LarkspurTesting
import Testing

@Test("A server runs for curl") func run() async throws {
    let server = try LoopbackServer()
    print("PORT \(server.port)")
    try await Task.sleep(for: .seconds(Double(ProcessInfo.processInfo.environment["S"] ?? "0") ?? 0))
}
