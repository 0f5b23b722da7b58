internal import HTTPSyntax

extension LoopbackServer {
    /// The fields of a header or trailer section, in order and with their names as they were written.
    public struct Fields: Sendable, Hashable {
        /// One field line.
        public struct Field: Sendable, Hashable {
            /// The name; upper and lower case are kept, but mean the same.
            public var name: String
            /// The value without white space around it.
            public var value: String

            /// A field of that name and value.
            public init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        private var fields: [Field] = []

        /// No fields.
        public init() {}

        /// The values of all fields of that name, joined by a comma (RFC 9110, section 5.3); nil where there is none.
        ///
        /// Setting a value replaces all fields of that name, at the place of the first; nil removes them.
        /// `Set-Cookie` cannot be joined: read it with ``values(for:)``.
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

        /// The values of all fields of that name, in order.
        public func values(for name: String) -> [String] {
            fields.filter { $0.name.hasSameLetters(as: name) }.map(\.value)
        }

        /// Adds a field at the end, even where there is one of that name.
        public mutating func append(_ name: String, _ value: String) {
            fields.append(Field(name: name, value: value))
        }

        /// Whether a comma-separated list in the fields of that name has that token.
        func contains(token: String, in name: String) -> Bool {
            values(for: name).contains { value in
                value.split(separator: ",").contains { $0.trimmingBlanks.hasSameLetters(as: token) }
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
    /// The fields of the literal in its order; a name may stand there more than once.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map(Field.init)
    }
}

extension LoopbackServer.Fields: CustomStringConvertible {
    /// The fields as they stand in a header, one on a line.
    public var description: String {
        fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}
