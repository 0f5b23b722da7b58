import Foundation
import HTTPSyntax
import Testing

@testable import Larkspur

@Suite("Media types by extension")
struct MIMETypeTests {
    @Test(
        "A file extension has its type, in any case",
        arguments: [
            ("cer", "application/x-x509-ca-cert"), ("JPG", "image/jpeg"), ("Png", "image/png"), ("txt", "text/plain"),
            ("json", "application/json"), ("pdf", "application/pdf"), ("mp4", "video/mp4"), ("mp3", "audio/mpeg"),
            ("heic", "image/heic"), ("zip", "application/zip"), ("svg", "image/svg+xml"), ("woff2", "font/woff2"),
            ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            ("", "application/octet-stream"), ("no such thing", "application/octet-stream"),
            ("\r\n", "application/octet-stream"),
        ]
    )
    func byExtension(fileExtension: String, type: String) {
        #expect(MIMEType.ofFiles(withExtension: fileExtension) == type)
    }

    @Test(
        "The last extension of a name counts",
        arguments: [
            ("a.tar.gz", "application/gzip"), ("README", "application/octet-stream"), (".png", "image/png"),
            ("a.", "application/octet-stream"), ("a.png/b", "application/octet-stream"), ("Ü.gif", "image/gif"),
        ]
    )
    func byName(name: String, type: String) {
        #expect(MIMEType.ofFile(named: name) == type)
    }

    @Test("The table has more than 120 lower-case extensions, with types that are valid in a header")
    func table() {
        #expect(MIMEType.table.count >= 120)
        for (key, type) in MIMEType.table {
            let fileExtension = key.text
            #expect(fileExtension == fileExtension.lowercased())
            let words = type.split(separator: "/", omittingEmptySubsequences: false)
            #expect(words.count == 2 && words.allSatisfy { $0.isToken }, "\(type)")
        }
    }
}
