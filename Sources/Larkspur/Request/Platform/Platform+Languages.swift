extension Platform {
    /// The preferred languages of the user as language tags, in order of preference; empty if they are not known.
    ///
    /// Foundation on Linux always returns `en-001`, without regard to the environment.
    static var preferredLanguages: [String] {
        #if canImport(Darwin)
        Locale.preferredLanguages
        #else
        LocaleName.ofMessages(in: ProcessInfo.processInfo.environment)?.languageTag.map { [$0] } ?? []
        #endif
    }
}
