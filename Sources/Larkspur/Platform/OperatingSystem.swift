/// The operating system, as a User-Agent names it.
enum OperatingSystem {
    /// The name and version, such as `macOS 15.1.0`. On Linux only the name, because the version there would be the
    /// kernel's release.
    static var description: String {
        #if os(Linux)
        return name
        #else
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(name) \(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        #endif
    }

    private static var name: String {
        #if os(Linux)
        "Linux"
        #elseif os(macOS)
        "macOS"
        #elseif os(iOS)
        "iOS"
        #elseif os(tvOS)
        "tvOS"
        #elseif os(watchOS)
        "watchOS"
        #elseif os(visionOS)
        "visionOS"
        #else
        "Unknown"
        #endif
    }
}
