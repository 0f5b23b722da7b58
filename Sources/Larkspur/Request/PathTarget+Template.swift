internal import HTTPSyntax

extension RequestTarget where Self == PathTarget {
    /// A target that is expanded from a URI template (RFC 6570, level 4).
    ///
    /// ```swift
    /// let files = try await manager.get(.template("users/{id}/files{?page}", ["id": id, "page": 2])).value()
    /// ```
    ///
    /// A value has one of the types of ``Parameters``. A Boolean value becomes `true` or `false`. Dictionaries are
    /// sorted by their names, and `KeyValuePairs` keep their order. A variable is left out if its value is nil or an
    /// empty collection, or if there is none.
    ///
    /// A value that makes a segment of the path `.` or `..`, or takes part in the scheme, the user information, the
    /// host or the port, ends the call with an error of the code `invalidURL`. This applies to reserved expansions such
    /// as `{+path}`, too. They keep the characters that separate parts of a URL, so their values can choose another
    /// path or query of the same origin.
    /// - Parameters:
    ///   - template: The template, such as `"users/{id}/files{?page}"`. It may be a whole URL.
    ///   - values: The values by the names of the variables. Values of other names are not used. Default: none.
    public static func template(_ template: String, _ values: [String: Any?] = [:]) -> PathTarget {
        PathTarget(template: template, values)
    }
}

extension PathTarget {
    /// Expands a template at once, because the values need not be `Sendable`.
    fileprivate init(template text: String, _ values: [String: Any?]) {
        do throws(LarkspurError) {
            let template = try Self.parse(text)
            var expansions: [TextKey: URITemplate.Value] = [:]
            for name in template.names where expansions[name] == nil {
                expansions[name] = try values[name].flatMap(\.self).flatMap { value throws(LarkspurError) in
                    try Self.value(of: value, named: name)
                }
            }
            self.init(.success(try Self.expand(template, expansions, text)), expressions: template.expressionTexts)
        } catch {
            self.init(.failure(error))
        }
    }

    private static func parse(_ text: String) throws(LarkspurError) -> URITemplate {
        do throws(URITemplate.Defect) { return try URITemplate(text) } catch { throw Self.error(error, text) }
    }

    private static func expand(
        _ template: URITemplate,
        _ values: [TextKey: URITemplate.Value],
        _ text: String
    ) throws(LarkspurError) -> AssembledReference {
        do throws(URITemplate.Defect) { return try template.expanded(values) } catch { throw Self.error(error, text) }
    }

    private static func error(_ defect: URITemplate.Defect, _ text: String) -> LarkspurError {
        let reason =
            switch defect {
            case .invalidExpression(let expression): "“\(expression.excerpt)” is not an expression of RFC 6570."
            case .prefixOfList(let name): "a prefix of “\(name)” is requested, but its value is a list or a dictionary."
            }
        return LarkspurError(.invalidURL, "In the template “\(BaseURL.excerpt(of: text))”, \(reason)")
    }

    /// Returns the value of a variable; nil if it has none.
    private static func value(of value: Any, named name: String) throws(LarkspurError) -> URITemplate.Value? {
        var encoder = QueryEncoder()
        encoder.booleanStyle = .literal
        let path = [ParameterKey(stringValue: name)]
        let component = try QueryComponentBuilder(encoder: encoder).component(of: value, at: path, depth: 0)
        switch component {
        case .null: return nil
        case .text(let text, _): return .text(text)
        case .array(let items): return .list(try texts(of: items, at: path))
        // A set has no order.
        case .set(let members): return .list(try texts(of: members, at: path).sorted())
        case .object(let fields):
            var pairs: [URITemplate.Pair] = []
            for field in fields {
                guard let text = try Self.text(of: field.value, at: path) else { continue }
                pairs.append(URITemplate.Pair(field.key, text))
            }
            return .pairs(pairs)
        }
    }

    private static func texts(
        of components: [QueryComponent],
        at path: [ParameterKey]
    ) throws(LarkspurError) -> [String] {
        var texts: [String] = []
        for component in components {
            if let text = try text(of: component, at: path) { texts.append(text) }
        }
        return texts
    }

    /// Returns the text of an element; nil if it is null, which is no element (RFC 6570, section 2.3).
    private static func text(of component: QueryComponent, at path: [ParameterKey]) throws(LarkspurError) -> String? {
        switch component {
        case .null: return nil
        case .text(let text, _): return text
        case .array, .set, .object:
            throw ParameterPath.error("a template has no form for a collection within a collection.", at: path)
        }
    }
}
