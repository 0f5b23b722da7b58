// One `import LarkspurTesting` brings Foundation and its networking half, which is a module of its own on Linux.

@_exported public import Foundation

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
