// Every other file of these tests relies on these imports.

@_exported import LarkspurTestSupport
@_exported import TestSupport
