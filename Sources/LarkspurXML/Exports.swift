// `import LarkspurXML` also imports Larkspur, and the XML part of Foundation, which is a separate module on Linux. All
// other files of this module rely on these imports.

@_exported public import Larkspur

#if canImport(FoundationXML)
@_exported public import FoundationXML
#endif
