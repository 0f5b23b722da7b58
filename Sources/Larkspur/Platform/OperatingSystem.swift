/// The operating system, as it names itself in a User-Agent.
enum OperatingSystem {
    /// Name and version: `Linux 6.1.0`, the kernel's release, or `macOS 15.1.0`.
    static var description: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(name) \(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
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
