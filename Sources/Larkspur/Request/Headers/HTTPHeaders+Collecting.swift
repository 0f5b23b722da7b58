internal import HTTPSyntax

extension HTTPHeaders {
    /// Fields while many are put together: what a server sends may have tens of thousands, and each is found in the
    /// same time.
    struct Collector {
        private var names: [String] = []
        private var values: [String] = []
        private var places: [CaselessName: Int] = [:]

        init() {}

        /// Begins with the fields of headers.
        init(_ headers: HTTPHeaders) {
            for field in headers { set(field) }
        }

        /// Sets a field, in the place of the one with its name, or else at the end.
        mutating func set(_ field: Field) {
            if let place = place(of: field) {
                names[place] = field.name
                values[place] = field.value
            }
        }

        /// Adds a value to the one that the field has.
        mutating func add(_ field: Field) {
            if let place = place(of: field) { values[place] += HTTPHeaders.separator(of: field.name) + field.value }
        }

        /// The place of the field with the same name; nil if there was none and this has become one.
        private mutating func place(of field: Field) -> Int? {
            let key = CaselessName(field.name)
            if let place = places[key] { return place }
            places[key] = names.count
            names.append(field.name)
            values.append(field.value)
            return nil
        }

        var fields: [Field] { zip(names, values).map { Field(name: $0, value: $1) } }
    }

    /// Values of one field are joined by a comma (RFC 9110, section 5.3), those of `Cookie` by a semicolon (RFC 6265,
    /// section 4.2.1).
    static func separator(of name: String) -> String { name.hasSameLetters(as: "Cookie") ? "; " : ", " }
}
