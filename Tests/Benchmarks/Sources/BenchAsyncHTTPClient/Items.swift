#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Measuring
internal import NIOCore

/// What is wrong with a JSON array of items, if anything.
func itemsFailure(in content: ByteBuffer) throws -> String? {
    try JSONDecoder().decode([Item].self, from: Data(content.readableBytesView)).isEmpty ? "no items" : nil
}
