// One `import LarkspurTransport` brings Foundation and its networking half. Every other file of this module relies on
// that, and all but the metrics and the certificates are empty where FoundationNetworking does not exist: Apple
// platforms have a URLSession of their own.

@_exported public import Foundation

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
