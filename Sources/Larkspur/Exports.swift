// `import Larkspur` also imports Foundation and its networking and XML parts, which are separate modules on Linux.
// LarkspurTransport contains the engine on Linux. Every other file of this module relies on these imports.

@_exported public import Foundation
@_exported public import LarkspurTransport

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
#if canImport(FoundationXML)
@_exported public import FoundationXML
#endif
