// Every other file of these tests relies on this import.

@_exported import TestSupport
