internal import HTTPSyntax

extension HTTPHeaders {
    /// A collection of header fields under construction. A server may send tens of thousands of fields; each is found
    /// in constant time.
    struct Collector {
        private var names: [String] = []
        private var values: [String] = []
        private var places: [CaselessName: Int] = [:]

        init() {}

        /// Creates a collector that contains the fields of headers.
        init(_ headers: HTTPHeaders) {
            for field in headers { set(field) }
        }

        /// Sets a field in the position of the field with its name, or else at the end.
        mutating func set(_ field: Field) {
            if let place = place(of: field) {
                names[place] = field.name
                values[place] = field.value
            }
        }

        /// Adds a value to that of the field with the same name.
        mutating func add(_ field: Field) {
            if let place = place(of: field) { values[place] += HTTPHeaders.separator(of: field.name) + field.value }
        }

        /// Returns the position of the field with the same name. If there is none, appends this field and returns nil.
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

    /// Returns the separator between values of one field: a comma (RFC 9110, section 5.3), or for `Cookie` a semicolon
    /// (RFC 6265, section 4.2.1).
    static func separator(of name: String) -> String { name.hasSameLetters(as: "Cookie") ? "; " : ", " }
}
