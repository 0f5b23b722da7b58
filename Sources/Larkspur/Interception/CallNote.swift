/// Something that an interceptor of Larkspur does, for the observers of the call.
enum CallNote: Sendable {
    /// Another attempt follows after a delay.
    case retry(after: Duration, reason: String)
    /// The call waits for the response to an equal request.
    case coalesced
}
