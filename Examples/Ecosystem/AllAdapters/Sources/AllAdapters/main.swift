// Sends requests to an embedded server through all adapters, and prints a result of each.

import HTTPTypes
import InMemoryLogging
import InMemoryTracing
import Larkspur
import LarkspurHTTPAPI
import LarkspurHTTPTypes
import LarkspurLifecycle
import LarkspurLogging
import LarkspurMetrics
import LarkspurOpenAPI
import LarkspurRedis
import LarkspurTesting
import LarkspurTracing
import Logging
import MetricsTestKit
import ServiceLifecycle
import Tracing

let server = try LoopbackServer()
server.route("/notes/1", .text("Hello"))

let log = InMemoryLogHandler()
let metrics = TestMetrics()
let tracer = InMemoryTracer()

let manager = SessionManager(baseURL: server.baseURL, configuration: .ephemeral)
manager.observers.append(.logging(to: Logger(label: "calls") { _ in log }))
manager.observers.append(.metrics(factory: metrics))
manager.interceptors.attempt = [.tracing()]

let group = ServiceGroup(
    services: [SessionService(manager)],
    logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }
)
async let services: Void = group.run()

let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/notes/1")
let (response, content) = try await withTracer(tracer) { try await manager.execute(request) }
print("larkspur-http-types: \(response.status.code), \(String(decoding: content, as: UTF8.self))")

try await SessionHTTPClient(manager).perform(request: request, body: nil, options: .init()) { response, reader in
    var text = ""
    _ = try await reader.forEachBuffer { buffer in
        var bytes = buffer.consumeAll()
        while let byte = bytes.next() { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    }
    print("larkspur-http-api: \(response.status.code), \(text)")
}

let (answer, body) = try await SessionTransport(manager)
    .send(request, body: nil, baseURL: server.baseURL, operationID: "getNote")
var text = ""
if let body { for try await chunk in body { text += String(decoding: chunk, as: UTF8.self) } }
print("larkspur-openapi: \(answer.status.code), \(text)")

await group.triggerGracefulShutdown()
try await services
let refusal = await manager.get("notes/1").response().error
print("larkspur-lifecycle: \(refusal?.label ?? "no error")")

print("larkspur-log: \(log.entries.first.map { "\($0.level), \($0.message)" } ?? "no lines")")
let durations = metrics.timers.filter { $0.label == "http.client.request.duration" }
print("larkspur-metrics: \(durations.reduce(0) { $0 + $1.values.count }) durations")
let spans = tracer.finishedSpans
print("larkspur-tracing: \(spans.map(\.operationName).joined(separator: ", "))")

// No server listens at this port.
let store = try RedisStore("redis://127.0.0.1:1")
do {
    print("larkspur-redis: \(try await store.ping())")
} catch let error as RedisStoreError {
    print("larkspur-redis: \(error.code)")
}
