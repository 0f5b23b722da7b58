internal import Foundation

extension LoopbackServer.Request {
    /// The text for a placeholder of the path, else of the query.
    func value(_ name: String) throws -> String {
        guard let value = parameters[name] ?? query(name) else { throw BuiltInRoutes.InvalidValue(name: name) }
        return value
    }

    /// A whole number in the path or query, within bounds.
    ///
    /// - Parameter defaultValue: What to take where there is none; nil where there must be one.
    func number(_ name: String, _ bounds: ClosedRange<Int>, default defaultValue: Int? = nil) throws -> Int {
        guard let text = parameters[name] ?? query(name) else {
            if let defaultValue { return defaultValue }
            throw BuiltInRoutes.InvalidValue(name: name)
        }
        guard let number = Int(text), bounds.contains(number) else { throw BuiltInRoutes.InvalidValue(name: name) }
        return number
    }

    /// A number of seconds in the path or query.
    func seconds(_ name: String, default defaultValue: TimeInterval) throws -> TimeInterval {
        guard let text = parameters[name] ?? query(name) else { return defaultValue }
        guard let seconds = TimeInterval(text), seconds.isFinite, seconds >= 0 else {
            throw BuiltInRoutes.InvalidValue(name: name)
        }
        return seconds
    }
}

extension BuiltInRoutes {
    /// The most bytes that a route makes up: enough for every test, and no danger to the memory.
    static let maximumByteCount = 256 << 20

    static let byteCounts = 0...maximumByteCount
}
