// One of the processes that share state in Redis. scenarios.py starts it and gives it commands on its standard input.

import Larkspur
import LarkspurRedis

@main
struct Worker {
    static func main() async throws {
        let arguments = Arguments(CommandLine.arguments)
        let store = try RedisStore(arguments["redis"])
        switch arguments.command {
        case "rate": try await RateScenario(arguments, store).run()
        case "refresh": try await RefreshScenario(arguments, store).run()
        case "cost": try await CostScenario(arguments, store).run()
        default: fatalError("Unknown command: \(arguments.command)")
        }
    }
}

/// The arguments of the program: a command, and pairs of a name and a value.
struct Arguments {
    let command: String
    private var values: [String: String] = [:]

    init(_ arguments: [String]) {
        command = arguments.count > 1 ? arguments[1] : ""
        for index in stride(from: 2, to: arguments.count - 1, by: 2) {
            values[String(arguments[index].dropFirst(2))] = arguments[index + 1]
        }
    }

    subscript(_ name: String) -> String {
        guard let value = values[name] else { fatalError("--\(name) is missing.") }
        return value
    }

    func number(_ name: String) -> Int {
        guard let number = Int(self[name]) else { fatalError("--\(name) is no number.") }
        return number
    }

    var server: URL {
        guard let url = URL(string: self["server"]) else { fatalError("--server is no URL.") }
        return url
    }
}

/// Prints a value as a line of JSON.
func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    printLine(String(decoding: try encoder.encode(value), as: UTF8.self))
}

/// Prints a line, which reaches scenarios.py at once.
func printLine(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
