internal import HTTPSyntax

extension HTTPHeaders {
    /// Checks that every field can be sent unchanged: the name is a token, and the value contains no CR, LF or NUL.
    /// - Throws: ``LarkspurError`` with the code `invalidHeaderField`, whose message has the name of the field but
    ///   never its value.
    package func validate() throws(LarkspurError) {
        for field in self { try field.validate() }
    }
}

extension HTTPHeaders.Field {
    /// Checks that the field can be sent unchanged (RFC 9110, sections 5.1 and 5.5).
    /// - Throws: ``LarkspurError`` with the code `invalidHeaderField`, whose message never contains the value.
    package func validate() throws(LarkspurError) {
        guard name.isToken else { throw invalidNameError }
        guard !value.breaksLine else {
            throw LarkspurError(
                .invalidHeaderField,
                "The value of the header field \(name) holds CR, LF or NUL, which would end it: remove them or encode the value."
            )
        }
    }

    private var invalidNameError: LarkspurError {
        guard let offender = name.unicodeScalars.firstIndex(where: { !Self.isTokenScalar($0) }) else {
            return LarkspurError(.invalidHeaderField, "A header field has an empty name.")
        }
        // If a caller passed a whole line as the name, the value follows the colon. The part after the invalid
        // character is therefore not printed.
        let start = String(name.unicodeScalars[..<offender].prefix(60))
        let codePoint = String(name.unicodeScalars[offender].value, radix: 16, uppercase: true)
        return LarkspurError(
            .invalidHeaderField,
            "A header field's name holds the code point \(codePoint) (hexadecimal) after “\(start)”: only letters, digits and "
                + "!#$%&'*+-.^_`|~ are allowed."
        )
    }

    private static func isTokenScalar(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && UInt8(truncatingIfNeeded: scalar.value).isToken
    }
}
