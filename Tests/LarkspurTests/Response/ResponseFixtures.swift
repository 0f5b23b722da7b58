import Foundation

extension Data {
    init(_ text: String) { self.init(text.utf8) }
}

func nested(_ open: String, _ close: String, _ depth: Int) -> Data {
    Data(String(repeating: open, count: depth) + String(repeating: close, count: depth))
}
