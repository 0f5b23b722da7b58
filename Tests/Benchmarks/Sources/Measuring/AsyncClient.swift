/// A client whose calls are awaited: one task for each request in flight.
package protocol AsyncClient: Client {
    /// Performs one request, and returns what is wrong with its response, if anything.
    func perform(_ request: Request) async throws -> String?
}

extension AsyncClient {
    package func run(_ request: Request, in loop: ClosedLoop, inFlight: Int) async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<inFlight {
                group.addTask {
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
