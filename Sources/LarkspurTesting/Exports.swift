// `import LarkspurTesting` also imports Foundation and its networking part, which is a separate module on Linux.

@_exported public import Foundation

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
