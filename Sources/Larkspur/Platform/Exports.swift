// One `import Larkspur` brings Foundation and its networking and XML halves, which are modules of their own on Linux.
// LarkspurTransport has the engine on Linux. Every other file of this module relies on these imports and has none of
// its own.

@_exported public import Foundation
@_exported public import LarkspurTransport

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
#if canImport(FoundationXML)
@_exported public import FoundationXML
#endif
