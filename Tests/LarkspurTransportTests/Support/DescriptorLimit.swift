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
#endif
