// `import Larkspur` also imports Foundation and its networking part, which is a separate module on Linux.
// LarkspurTransport contains the engine on Linux. Every other file of this module relies on these imports.

@_exported public import Foundation
@_exported public import LarkspurTransport

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
