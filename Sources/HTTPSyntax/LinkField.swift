/// The links of a `Link` field (RFC 8288): targets with their relation types.
package struct LinkField {
    /// A link.
    package struct Link: Equatable {
        /// The target, which may be a relative reference.
        package let target: String
        /// The relation types, in lower case; empty if the link is not about the response.
        package let relations: [String]
    }

    /// The links in their order. Malformed links are left out.
    package let links: [Link]

    package init(_ text: String) {
        var links: [Link] = []
        var rest = Substring(text)
        while let opening = rest.cut(at: "<"), let (target, tail) = opening.after.cut(at: ">") {
            let end = Self.endOfLink(tail)
            // The parameters begin with a semicolon, so the part before the first separator is empty.
            let parameters = FieldParameters(String(tail[..<end])).values
            // A link with an anchor is not about the resource of the response.
            let relation = parameters["anchor"] == nil ? parameters["rel"] ?? "" : ""
            let relations = relation.inLowercase.parts(separatedBy: " ").map(String.init)
            links.append(Link(target: String(target), relations: relations))
            rest = tail[end...]
        }
        self.links = links
    }

    /// Returns the target of the first link with a relation type.
    package func target(of relation: String) -> String? {
        links.first { $0.relations.contains(relation) }?.target
    }

    /// Returns the position of the comma that ends a link. Commas inside double quotes do not count.
    private static func endOfLink(_ text: Substring) -> Substring.Index {
        var quotation = Quotation()
        return text.utf8.firstIndex { quotation.isOutside($0) && $0 == UInt8(ascii: ",") } ?? text.endIndex
    }
}
