internal import HTTPSyntax

/// The covered components and the parameters of a signature: a member of the field `Signature-Input` (RFC 9421, section
/// 4.1).
struct SignatureInput: Sendable {
    typealias Component = MessageSignature.Component

    let components: [Component]
    let parameters: StructuredField.Parameters

    init(_ components: [Component], _ parameters: StructuredField.Parameters) {
        self.components = components
        self.parameters = parameters
    }

    /// Reads the items and the parameters of an inner list.
    /// - Throws: `malformedSignature`, `repeatedName`, or `unknownComponent`.
    init(
        reading items: [StructuredField.Item],
        _ parameters: StructuredField.Parameters
    ) throws(MessageSignatureFailure) {
        guard !parameters.hasRepeatedKeys else {
            throw MessageSignatureFailure(.repeatedName, "A parameter of the signature occurs twice.")
        }
        var components: [Component] = []
        for item in items { components.append(try Component(item)) }
        self.components = components
        self.parameters = parameters
    }

    /// Returns an integer parameter; nil if there is none.
    /// - Throws: `malformedSignature` if the parameter is of another type.
    func integer(_ name: String) throws(MessageSignatureFailure) -> Int64? {
        guard let value = parameters[name] else { return nil }
        guard case .integer(let number) = value else { throw Self.wrongType(name) }
        return number
    }

    /// Returns a string parameter; nil if there is none.
    /// - Throws: `malformedSignature` if the parameter is of another type.
    func string(_ name: String) throws(MessageSignatureFailure) -> String? {
        guard let value = parameters[name] else { return nil }
        guard case .string(let text) = value else { throw Self.wrongType(name) }
        return text
    }

    private static func wrongType(_ name: String) -> MessageSignatureFailure {
        MessageSignatureFailure(.malformedSignature, "The parameter “\(name)” of the signature is of another type.")
    }

    /// The inner list as a member of the field.
    var member: StructuredField.Member { .innerList(components.map(\.item), parameters: parameters) }

    /// Returns the signature base of a message: the text that is signed (RFC 9421, section 2.5).
    /// - Throws: `repeatedName`, `unknownComponent`, `componentUnavailable`, or `malformedSignature`.
    func base(of message: SignedMessage) throws(MessageSignatureFailure) -> String {
        var message = message
        var lines: [String] = []
        var covered: Set<Component> = []
        for component in components {
            guard covered.insert(component).inserted else {
                throw MessageSignatureFailure(
                    .repeatedName,
                    "The component \(component.description.excerpt) is covered twice."
                )
            }
            guard let identifier = component.item.text else {
                throw SignedMessage.unknown(component, "has characters that no name has")
            }
            lines.append("\(identifier): \(try message.value(of: component))")
        }
        guard let text = member.text else {
            throw MessageSignatureFailure(
                .malformedSignature,
                "A parameter of the signature has characters that a structured field cannot have."
            )
        }
        lines.append("\"@signature-params\": \(text)")
        return lines.joined(separator: "\n")
    }
}
