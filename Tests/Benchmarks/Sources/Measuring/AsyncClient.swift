/// A client whose calls are awaited: one task for each request in flight.
package protocol AsyncClient: Client {
    /// Performs one request, and returns what is wrong with its response, if anything.
    func perform(_ request: Request) async throws -> String?

    /// The executor of the tasks that await; nil for the global one.
    var executor: (any TaskExecutor)? { get }
}

extension AsyncClient {
    package var executor: (any TaskExecutor)? { nil }

    package func run(_ request: Request, in loop: ClosedLoop, inFlight: Int) async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<inFlight {
                group.addTask(executorPreference: executor) {
                    while loop.claim() {
                        do {
                            loop.finish(try await perform(request))
                        } catch {
                            loop.finish("\(error)")
                        }
                    }
                }
            }
        }
    }
}
