internal import Foundation

extension LoopbackServer.Request {
    /// Returns the text for a placeholder of the path, or else of the query.
    func value(_ name: String) throws -> String {
        guard let value = parameters[name] ?? query(name) else { throw BuiltInRoutes.InvalidValue(name: name) }
        return value
    }

    /// Returns a whole number in the path or query, within bounds.
    ///
    /// - Parameter defaultValue: The number if there is none in the request; nil if the request must have one.
    func number(_ name: String, _ bounds: ClosedRange<Int>, default defaultValue: Int? = nil) throws -> Int {
        guard let text = parameters[name] ?? query(name) else {
            if let defaultValue { return defaultValue }
            throw BuiltInRoutes.InvalidValue(name: name)
        }
        guard let number = Int(text), bounds.contains(number) else { throw BuiltInRoutes.InvalidValue(name: name) }
        return number
    }

    /// Returns a number of seconds in the path or query.
    func seconds(_ name: String, default defaultValue: TimeInterval) throws -> TimeInterval {
        guard let text = parameters[name] ?? query(name) else { return defaultValue }
        guard let seconds = TimeInterval(text), seconds.isFinite, seconds >= 0 else {
            throw BuiltInRoutes.InvalidValue(name: name)
        }
        return seconds
    }
}

extension BuiltInRoutes {
    /// The maximum number of bytes that a route generates, which is enough for every test and does not exhaust the
    /// memory.
    static let maximumByteCount = 256 << 20

    static let byteCounts = 0...maximumByteCount
}
