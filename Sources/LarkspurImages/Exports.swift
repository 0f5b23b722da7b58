// `import LarkspurImages` also imports Larkspur, and with it Foundation. All other files of this module rely on this
// one.

@_exported public import Larkspur
