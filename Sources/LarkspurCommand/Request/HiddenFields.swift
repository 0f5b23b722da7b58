import HTTPSyntax
import LarkspurCredentials

/// The fields of requests that are not printed, because the arguments do not contain their secrets.
struct HiddenFields: Sendable {
    /// The value of the field `Authorization` from the user's netrc file; nil for none.
    var authorization: String?
    /// Whether requests are signed. Then the signature is hidden, and the token of the keys.
    var areSigned = false
    /// The token that the arguments contain; nil for none.
    var givenToken: String?

    /// Returns a field as it is printed. The scheme stays.
    func shown(_ field: HTTPHeaders.Field) -> HTTPHeaders.Field {
        if field.name.hasSameLetters(as: "Authorization"), areSigned || field.value == authorization {
            let scheme = String(field.value.before(" "))
            return HTTPHeaders.Field(name: field.name, value: scheme + " " + Redaction.placeholder)
        }
        guard areSigned, field.name.hasSameLetters(as: AWSSignature.tokenField), field.value != givenToken else {
            return field
        }
        return HTTPHeaders.Field(name: field.name, value: Redaction.placeholder)
    }
}
