// `import LarkspurCurlCommands` also imports Larkspur, and with it Foundation. Every other file of this module
// relies on that.

@_exported public import Larkspur
