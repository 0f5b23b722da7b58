#if canImport(FoundationNetworking)
import CDynamicLibrary
import Foundation
import Testing

/// Every process has the C library; no machine has a library "libmissing.so.0".
@Suite("Libraries that are found at run time")
struct DynamicLibraryTests {
    /// Names as C has them, which live as long as the process.
    private static func list(_ names: [String]) -> [UnsafePointer<CChar>?] {
        names.map { strdup($0).map { UnsafePointer($0) } } + [nil]
    }

    /// Searches for functions, and notes which of them were found.
    private func find<Result>(
        _ functions: [String],
        _ search: ([dynamic_function]) -> Result
    ) -> (result: Result, isFound: [Bool]) {
        var addresses = [UnsafeMutableRawPointer?](repeating: nil, count: functions.count)
        let result = addresses.withUnsafeMutableBufferPointer { addresses in
            search(
                Self.list(functions).enumerated().map { index, name in
                    dynamic_function(
                        name: name,
                        target: name == nil ? nil : addresses.baseAddress.map { UnsafeMutableRawPointer($0 + index) }
                    )
                }
            )
        }
        return (result, addresses.map { $0 != nil })
    }

    private func load(_ functions: [String], from libraries: [String]) -> Bool {
        find(functions) { dynamic_library_load(Self.list(libraries), $0) }.result
    }

    @Test("The process itself is searched first, and must have all functions")
    func process() {
        #expect(load(["malloc", "free"], from: ["libmissing.so.0"]))
        #expect(!load(["malloc", "missing"], from: ["libc.so.6"]))
    }

    @Test("A library is opened by the first of its names that exists")
    func names() {
        var library = dynamic_library()
        #expect(!dynamic_library_open(&library, "missing", Self.list(["libmissing.so.0"])))
        #expect(dynamic_library_open(&library, "missing", Self.list(["libmissing.so.0", "libc.so.6"])))

        let outcome = find(["missing1", "malloc", "missing2"]) {
            dynamic_library_find(library, $0).map { String(cString: $0) }
        }

        #expect(library.handle != nil)
        #expect(outcome.result == "missing1")
        #expect(outcome.isFound == [false, true, false])
    }

    @Test("A search among loaded libraries does not load any")
    func loaded() {
        // A part of glibc that nothing needs.
        let unused = "libanl.so.1"

        let outcome = find(["malloc", "missing"]) {
            dynamic_library_find_loaded(Self.list(["libmissing.so.0", unused]), $0).map { String(cString: $0) }
        }

        #expect(outcome.result == "missing")
        #expect(outcome.isFound == [true, false])
        #expect(dlopen(unused, RTLD_NOW | RTLD_NOLOAD) == nil)
    }
}
#endif
