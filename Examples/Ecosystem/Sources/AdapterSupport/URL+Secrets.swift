package import Foundation

extension URL {
    /// The URL as text, without user, password, query and fragment, any of which may hold a secret.
    package var withoutSecrets: String? {
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        components?.query = nil
        components?.fragment = nil
        return components?.string
    }
}
