internal import HTTPSyntax

extension LoopbackServer {
    /// The fields of a header or trailer section, in order, with the original spelling of their names.
    public struct Fields: Sendable, Hashable {
        /// One field line.
        public struct Field: Sendable, Hashable {
            /// The name. Its spelling is preserved. Fields are found by name without regard to case.
            public var name: String
            /// The value without white space around it.
            public var value: String

            /// Creates a field.
            public init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        private var fields: [Field] = []

        /// Creates an empty collection of fields.
        public init() {}

        /// The values of all fields with a name, joined by commas (RFC 9110, section 5.3); nil if there are none.
        ///
        /// Setting a value replaces all fields with the name, at the position of the first one. Setting nil removes all
        /// fields with the name. Joined `Set-Cookie` values cannot be separated: read them with ``values(for:)``.
        public subscript(name: String) -> String? {
            get {
                let values = values(for: name)
                return values.isEmpty ? nil : values.joined(separator: ", ")
            }
            set {
                let place = fields.firstIndex { $0.name.hasSameLetters(as: name) } ?? fields.endIndex
                fields.removeAll { $0.name.hasSameLetters(as: name) }
                if let newValue { fields.insert(Field(name: name, value: newValue), at: place) }
            }
        }

        /// Returns the values of all fields with a name, in order.
        public func values(for name: String) -> [String] {
            fields.filter { $0.name.hasSameLetters(as: name) }.map(\.value)
        }

        /// Adds a field at the end, even if there already is one with the same name.
        public mutating func append(_ name: String, _ value: String) {
            fields.append(Field(name: name, value: value))
        }

        /// Returns whether the fields with a name contain a token in their comma-separated lists.
        func contains(token: String, in name: String) -> Bool {
            values(for: name).contains { value in
                value.parts(separatedBy: ",").contains { $0.trimmingBlanks.hasSameLetters(as: token) }
            }
        }
    }
}

extension LoopbackServer.Fields: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { fields.startIndex }
    /// The position after the last field.
    public var endIndex: Int { fields.endIndex }

    /// The field at a position.
    public subscript(position: Int) -> Field {
        fields[position]
    }
}

extension LoopbackServer.Fields: ExpressibleByDictionaryLiteral {
    /// Creates fields from a literal, in its order. A name may occur more than once.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map(Field.init)
    }
}

extension LoopbackServer.Fields: CustomStringConvertible {
    /// The fields in the format of a header, one on a line.
    public var description: String {
        fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}
