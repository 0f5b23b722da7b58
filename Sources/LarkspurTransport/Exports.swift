// One `import LarkspurTransport` imports Foundation and its networking half. Every other file of this module relies on
// that. All but the metrics and the certificates are empty without FoundationNetworking: Apple platforms have a
// URLSession of their own.

@_exported public import Foundation

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
