public import Hummingbird
public import Larkspur
internal import LarkspurLifecycle
internal import LarkspurTracing
internal import Logging
public import NIOCore

/// Makes a server that asks another service for a part of each response. The trace of a request continues in the
/// request to that service.
///
///     GET /hello/Ada?language=de          Hallo, Ada!
/// - Parameters:
///   - greetings: The session manager of the other service, which has the greeting of a language at
///     `greetings/{language}`. The server adds an interceptor, and invalidates the manager when it shuts down.
///   - configuration: The address of the server. Default: port 8080 of 127.0.0.1.
///   - onServerRunning: Called when the server accepts connections, with its socket. Default: nothing.
/// - Returns: The server, not started.
public func makeGreeter(
    greetings: SessionManager,
    configuration: ApplicationConfiguration = ApplicationConfiguration(),
    onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
) -> some ApplicationProtocol {
    greetings.interceptors.attempt.append(.tracing())
    let router = Router()
    router.add(middleware: TracingMiddleware())
    router.get("hello/{name}") { request, context in
        let language = request.uri.queryParameters["language"].map(String.init) ?? "en"
        do {
            let greeting = try await greetings.get(.path("greetings/\(language)")).string
            return "\(greeting), \(try context.parameters.require("name"))!"
        } catch let error as LarkspurError {
            context.logger.error("The greeting is missing.", metadata: ["error": "\(error)"])
            throw HTTPError(.badGateway)
        }
    }
    return Application(
        router: router,
        configuration: configuration,
        services: [SessionService(greetings)],
        onServerRunning: onServerRunning
    )
}
