// One `import LarkspurTransport` imports Foundation and its networking half. All other files of this module rely on
// this one. Without FoundationNetworking, all but the metrics and the certificates are empty: Apple platforms have a
// URLSession of their own.

@_exported public import Foundation

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
