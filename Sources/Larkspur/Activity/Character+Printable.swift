extension Character {
    /// Whether a terminal only displays the character, and does not interpret it as a control.
    var isPrintable: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
            default: true
            }
        }
    }
}
