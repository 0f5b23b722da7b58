import HTTPSyntax
import JSONSyntax
import Larkspur

/// The contents of a command line's items: fields, query and data, including the contents of files.
struct ItemContents {
    /// A field. If it has no value, the field is removed.
    struct Field: Equatable {
        let name: String
        let value: String?
        let position: Int
    }

    /// A data item with its value: text or JSON.
    struct DataItem {
        let name: String
        let value: JSONNode
    }

    /// A file to send.
    struct File {
        let name: String
        let url: URL
        let length: Int64
        /// The media type; nil if it is unknown.
        let type: String?
        /// The position among the data items.
        let position: Int
    }

    private(set) var fields: [Field] = []
    private(set) var query: [(name: String, value: String)] = []
    private(set) var data: [DataItem] = []
    private(set) var files: [File] = []

    /// Reads the items.
    /// - Parameters:
    ///   - items: The items in their order.
    ///   - kind: The encoding of the data; nil for JSON.
    init(_ items: [RequestItem], kind: Invocation.ContentKind?) throws(UsageError) {
        for item in items {
            switch item.kind {
            case .header: add(item.name, item.value.isEmpty ? nil : item.value)
            case .emptyHeader: add(item.name, "")
            case .headerFile: add(item.name, try Self.text(of: item).trimmingTrailingNewlines)
            case .query: query.append((item.name, item.value))
            case .queryFile: query.append((item.name, try Self.text(of: item).trimmingTrailingNewlines))
            case .text: data.append(DataItem(name: item.name, value: JSONNode(.string(item.value))))
            case .textFile: data.append(DataItem(name: item.name, value: JSONNode(.string(try Self.text(of: item)))))
            case .json: data.append(try Self.json(item, item.value, kind))
            case .jsonFile: data.append(try Self.json(item, try Self.text(of: item), kind))
            case .file: files.append(try Self.file(item, position: data.count))
            }
        }
    }

    private mutating func add(_ name: String, _ value: String?) {
        fields.append(Field(name: name, value: value?.trimmingCharacters(in: .whitespaces), position: fields.count))
    }

    /// Whether a field occurs more than once.
    func isRepeated(_ name: String) -> Bool {
        fields.count { $0.name.lowercased() == name.lowercased() && $0.value != nil } > 1
    }

    /// Whether an earlier item has set a field.
    func hasSet(_ name: String, before field: Field) -> Bool {
        fields.contains { $0.position < field.position && $0.name.lowercased() == name.lowercased() && $0.value != nil }
    }

    // MARK: Bodies

    /// The data as fields of a form.
    var formFields: [(name: String, value: String)] { data.map { ($0.name, Self.formText($0.value)) } }

    /// The data as JSON; nil without data.
    func json() throws(UsageError) -> JSONNode? {
        var root: JSONNode?
        for item in data {
            do throws(JSONPath.Failure) {
                try JSONPath(item.name).set(item.value, in: &root)
            } catch {
                throw UsageError(error.message)
            }
        }
        return root
    }

    /// The data and the files as a multipart form, in the order of their items.
    /// - Parameter boundary: The boundary; nil for a random one.
    func form(boundary: String?) throws(UsageError) -> MultipartFormData {
        do throws(LarkspurError) {
            var form = MultipartFormData(boundary: try boundary.map(MultipartBoundary.init) ?? MultipartBoundary())
            var files = files[...]
            for position in 0...data.count {
                while let file = files.first, file.position == position {
                    files.removeFirst()
                    try form.append(file: file.url, name: file.name, contentType: file.type)
                }
                guard position < data.count else { break }
                form.append(text: Self.formText(data[position].value), name: data[position].name)
            }
            return form
        } catch {
            throw UsageError(error.message)
        }
    }

    // MARK: Values

    private static func formText(_ value: JSONNode) -> String {
        switch value.kind {
        case .string(let text), .number(let text): text
        case .bool(let value): value ? "True" : "False"
        case .null, .array, .object: value.text
        }
    }

    private static func json(
        _ item: RequestItem,
        _ text: String,
        _ kind: Invocation.ContentKind?
    ) throws(UsageError) -> DataItem {
        let value: JSONNode
        do throws(JSONFailure) {
            value = try JSONNode(Array(text.utf8))
        } catch {
            throw UsageError("The value of “\(item.name)” is not JSON: \(error.reason), at byte \(error.offset).")
        }
        if kind == .form || kind == .multipart {
            switch value.kind {
            case .null, .array, .object: throw UsageError("A form has no place for the value of “\(item.name)”.")
            case .string, .number, .bool: break
            }
        }
        return DataItem(name: item.name, value: value)
    }

    private static func text(of item: RequestItem) throws(UsageError) -> String {
        let path = UserPath.expanded(item.value)
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw UsageError("The file “\(item.value)” cannot be read.")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw UsageError("The file “\(item.value)” is no text in UTF-8.")
        }
        return text
    }

    private static func file(_ item: RequestItem, position: Int) throws(UsageError) -> File {
        var path = item.value
        var type: String?
        if let range = path.utf8.firstRange(of: ";type=".utf8) {
            type = String(path[range.upperBound...])
            path = String(path[..<range.lowerBound])
        }
        let expanded = UserPath.expanded(path)
        var status = stat()
        guard access(expanded, R_OK) == 0, stat(expanded, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw UsageError("The file “\(path)” cannot be read, or is no regular file.")
        }
        return File(
            name: item.name,
            url: URL(fileURLWithPath: expanded),
            length: Int64(status.st_size),
            type: type ?? FileType.of(path),
            position: position
        )
    }
}

extension String {
    /// The text without the line ends at its end.
    fileprivate var trimmingTrailingNewlines: String {
        var text = self[...]
        // In Swift, CR LF is one `Character`.
        while text.last == "\n" || text.last == "\r\n" { text.removeLast() }
        return String(text)
    }
}
