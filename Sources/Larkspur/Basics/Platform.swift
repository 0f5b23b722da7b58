/// The functions that differ between Linux and Apple platforms.
package enum Platform {
    /// Returns the default queue of handlers. On Apple platforms it is the main queue, which an app runs. Elsewhere it
    /// is a private serial queue, because most programs there do not run the main queue.
    package static func makeCompletionQueue() -> DispatchQueue {
        #if canImport(Darwin)
        .main
        #else
        DispatchQueue(label: "larkspur.completion")
        #endif
    }
}
