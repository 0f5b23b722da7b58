/// A value that is to become the content of a request, with its encoder.
struct RequestContent {
    let value: any Encodable
    let encoder: any DataEncoder

    /// Makes nothing of nothing.
    init?(_ value: (any Encodable)?, _ encoder: @autoclosure () -> any DataEncoder) {
        guard let value else { return nil }
        self.value = value
        self.encoder = encoder()
    }

    /// Encodes the value.
    /// - Throws: `parameterEncodingFailed`, which names the type of what cannot be encoded and never its value.
    func encoded() throws(LarkspurError) -> Data {
        // Foundation on Linux ends the process when it is asked for this format.
        if let list = encoder as? PropertyListEncoder, list.outputFormat == .openStep {
            throw LarkspurError(.parameterEncodingFailed, "The OpenStep format cannot be written: use .xml or .binary.")
        }
        do {
            return try encoder.encode(value)
        } catch let error as LarkspurError {
            throw error
        } catch EncodingError.invalidValue(let invalid, let context) {
            let path = ParameterPath.description(of: context.codingPath)
            throw LarkspurError(
                .parameterEncodingFailed,
                "The body cannot be encoded: its encoder refuses this \(type(of: invalid))"
                    + (path.isEmpty ? "." : " at `\(path)`."),
                underlyingError: EncodingError.invalidValue(invalid, context)
            )
        } catch {
            throw LarkspurError(
                .parameterEncodingFailed,
                "The body cannot be encoded: encoding it threw \(type(of: error)).",
                underlyingError: error
            )
        }
    }
}
