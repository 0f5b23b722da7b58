#if canImport(FoundationNetworking)
extension CacheEntry {
    /// The encoded form of everything but the content.
    var encodedHead: Data {
        var writer = ByteWriter()
        writer.write(url)
        writer.write(UInt64(max(0, status)))
        writer.write(version)
        writer.write(requestTime)
        writer.write(responseTime)
        writer.write(authorization)
        writer.write(UInt64(varying.count))
        for field in varying {
            writer.write(field.name)
            writer.write(field.value)
        }
        writer.write(UInt64(fields.count))
        for (name, value) in fields {
            writer.write(name)
            writer.write(value)
        }
        return writer.data
    }

    /// Decodes an entry; nil if the bytes are no head of an entry.
    init?(encodedHead: Data, content: Data) {
        var reader = ByteReader(encodedHead)
        guard let url = reader.readText(), let status = reader.readNumber(), (100...999).contains(status),
            let version = reader.readText(), let requestTime = reader.readDate(),
            let responseTime = reader.readDate(), let authorization = reader.readOptionalText(),
            let varyingCount = reader.readCount()
        else { return nil }
        var varying: [VaryingField] = []
        for _ in 0..<varyingCount {
            guard let name = reader.readText(), let value = reader.readOptionalText() else { return nil }
            varying.append(VaryingField(name: name, value: value))
        }
        guard let fieldCount = reader.readCount() else { return nil }
        var fields: [String: String] = [:]
        for _ in 0..<fieldCount {
            guard let name = reader.readText(), let value = reader.readText() else { return nil }
            fields[name] = value
        }
        guard reader.isAtEnd else { return nil }
        self.init(
            url: url,
            status: Int(status),
            version: version,
            fields: fields,
            varying: varying,
            authorization: authorization,
            requestTime: requestTime,
            responseTime: responseTime,
            content: content
        )
    }
}
#endif
