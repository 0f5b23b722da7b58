import Larkspur

/// A function of the program that a model may call.
struct Tool: Sendable {
    let name: String
    let description: String
    /// The JSON schema of the arguments.
    let parameters: JSONValue
    /// The function. It gets the arguments, and returns the text for the model.
    let run: @Sendable (JSONValue) -> String

    /// The declaration for the server.
    var declaration: JSONValue {
        [
            "type": "function",
            "function": ["name": .string(name), "description": .string(description), "parameters": parameters],
        ]
    }
}

extension Tool {
    /// A tool that returns the time in a time zone.
    static let localTime = Tool(
        name: "local_time",
        description: "Returns the date and the time in a time zone.",
        parameters: [
            "type": "object",
            "properties": ["zone": ["type": "string", "description": "A name such as Europe/Oslo"]],
            "required": ["zone"],
        ],
        run: { arguments in
            guard let zone = arguments["zone"].string.flatMap({ TimeZone(identifier: $0) }) else {
                return "There is no such time zone."
            }
            return Date().ISO8601Format(Date.ISO8601FormatStyle(timeZone: zone))
        }
    )
}
