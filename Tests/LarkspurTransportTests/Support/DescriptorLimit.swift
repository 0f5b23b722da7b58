#if canImport(FoundationNetworking)
import Foundation

/// Lets this process open up to 4,096 descriptors, or as many as the system allows.
func raiseDescriptorLimit() {
    let resource = __rlimit_resource_t(7)
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 4096))
    setrlimit(resource, &limit)
}

/// The number behind the highest descriptor of this process. The process of an exit test may have hundreds of its
/// parent's descriptors, and then it has none free below a small fixed limit.
func endOfDescriptors() throws -> rlim_t {
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    return (names.compactMap { rlim_t($0) }.max() ?? 2) + 1
}
#endif
