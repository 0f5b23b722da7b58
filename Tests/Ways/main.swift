// One way of a program, for count.py: a warm call, then the call whose functions are counted.
//
//     ways WAY URL
import Dispatch
import Foundation
import Larkspur

struct Value: Decodable, Sendable {
    let number: Int
}

struct Tokens: RequestAuthenticator {
    func apply(_ token: String, to request: inout URLRequest) { request.headers["Authorization"] = "Bearer \(token)" }
    func refresh(_ token: String, after refusal: InterceptedResponse?) async throws -> String { "new" }
}

// valgrind counts from the call of one of these functions to the call of the other.
@_silgen_name("way_begins") func wayBegins() {}
@_silgen_name("way_ends") func wayEnds() {}

let manager = SessionManager(baseURL: CommandLine.arguments[2])
let server = URL(string: CommandLine.arguments[2]) ?? URL(fileURLWithPath: "/")
let login = AuthenticationInterceptor("old", authenticator: Tokens(), for: server)

let ways: [String: @Sendable (SessionManager) async throws -> Void] = [
    "value": { manager in
        _ = try await manager.get("value").value(as: Value.self)
    },
    "closures": { manager in
        await withCheckedContinuation { continuation in
            manager.get("value", as: Value.self) { _, _ in
                continuation.resume()
            } failure: { _, error in
                fatalError("\(error)")
            }
        }
    },
    "upload": { manager in
        let body = RequestBody.writer { writer in try await writer.write(Data(repeating: 65, count: 1000)) }
        try await manager.upload("upload", from: body).open { _, content in
            for try await _ in content {}
        }
    },
    "refresh": { manager in
        login.credential = "old"
        _ = try await manager.get("account").value(as: Value.self)
    },
]

/// Calls a function twice, and marks the second call. A call's last steps run beside the program that has its value, so
/// the mark at the end waits for them.
func count(_ way: () async throws -> Void) async throws {
    try await way()
    try await Task.sleep(for: .milliseconds(500))
    wayBegins()
    try await way()
    try await Task.sleep(for: .milliseconds(500))
    wayEnds()
}

// callgrind ends when the first thread does, and an `await` at the top level ends it.
let done = DispatchSemaphore(value: 0)
Task.detached {
    let name = CommandLine.arguments[1]
    if let way = ways[name] {
        if name == "refresh" { manager.interceptors.call = [login] }
        try await count { try await way(manager) }
    } else {
        let socket = manager.webSocket("echo")
        try await socket.open()
        try await count {
            try await socket.send("Hello")
            _ = try await socket.receive()
        }
    }
    done.signal()
}
done.wait()
