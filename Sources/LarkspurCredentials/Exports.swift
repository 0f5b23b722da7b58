// `import LarkspurCredentials` also imports Larkspur. All other files of this module rely on this import.

@_exported public import Larkspur
