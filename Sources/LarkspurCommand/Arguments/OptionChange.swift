/// An option on the command line or in the configuration file.
struct OptionChange: Sendable {
    enum Use: Equatable, Sendable {
        case flag
        case value(String)
        /// The option is named after `--no-`, so that its earlier uses have no effect.
        case undone
    }

    let option: Option
    let use: Use
    /// The position of the option, or of its value, among the arguments.
    let position: Int
    /// The configuration file that has the option; nil for the command line.
    var file: ConfigurationFile?

    init(option: Option, use: Use, position: Int) {
        self.option = option
        self.use = use
        self.position = position
    }

    /// Returns the invocation with the options, in their order.
    static func invocation(after changes: [OptionChange]) throws(UsageError) -> Invocation {
        var effective: [OptionChange] = []
        for change in changes {
            if change.use == .undone {
                effective.removeAll { $0.option.name == change.option.name }
            } else {
                effective.append(change)
            }
        }
        var invocation = Invocation()
        for change in effective {
            do throws(UsageError) {
                try change.apply(to: &invocation)
            } catch {
                guard let file = change.file else { throw error }
                throw file.failure(error.message, ofArgument: change.position)
            }
        }
        return invocation
    }

    private func apply(to invocation: inout Invocation) throws(UsageError) {
        switch (option.action, use) {
        case (.flag(let set), _): set(&invocation)
        case (.value(_, _, let set), .value(let text)): try set(&invocation, text)
        case (.value, _): break
        }
    }
}
