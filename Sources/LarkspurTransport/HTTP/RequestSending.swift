/// The engine's knowledge whether a byte of a request may have left this machine before its task failed.
package enum RequestSending {
    /// The key for the knowledge, as `Bool`, in the `userInfo` of a `URLError`. It is missing if the engine does not
    /// know, and in errors of other transports. All requests of the task count, such as those of redirects.
    package static let userInfoKey = "LarkspurRequestWasSent"
}
