// One `import LarkspurTransport` imports Foundation and its networking half. All other files of this module rely on the
// imports of this file. Without FoundationNetworking, only the files about metrics and certificates, and those in the
// folder Files, have content, because Apple platforms have their own URLSession.

@_exported public import Foundation

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
