internal import Measuring

/// Measures a kind of `URLSession` with a delegate or, for clients named `…-completion`, with completion handlers.
package func measureURLSession(_ makeSession: @escaping SessionFactory) async throws {
    let options = Options()
    if options.workload == .download || options.workload == .upload {
        try await Measurement(options) { FileClient(options, makeSession: makeSession) }.run()
    } else if options.client.hasSuffix("-completion") {
        try await Measurement(options) { CompletionClient(options, makeSession: makeSession) }.run()
    } else {
        try await Measurement(options) { DelegateClient(options, makeSession: makeSession) }.run()
    }
}
