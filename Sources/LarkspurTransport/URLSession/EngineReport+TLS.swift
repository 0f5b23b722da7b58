#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax

extension EngineReport {
    /// The abilities of TLS that depend on libcurl and its TLS library.
    /// - Parameters:
    ///   - tls: The abilities of the TLS library.
    ///   - namesGroups: Whether the TLS library reports the groups of key exchanges.
    static func abilities(of tls: TLSAbilities, namesGroups: Bool) -> [Ability] {
        [
            Ability(
                name: "pins of whole chains, and roots in addition to the system's",
                unavailability: tls.trustUnavailability
            ),
            Ability(name: "client certificates", unavailability: tls.identityUnavailability),
            Ability(
                name: "client certificates that rotate",
                unavailability: tls.identityUnavailability ?? tls.trustUnavailability
            ),
            Ability(
                name: "names of the groups of key exchanges",
                unavailability: namesGroups ? nil : "\(tls.library) does not report them; OpenSSL from 3.0 on does"
            ),
            Ability(
                name: "key exchange with X25519MLKEM768",
                unavailability: tls.hasHybridGroup
                    ? nil : "\(tls.library) is not known to have it; OpenSSL has it from 3.5 on"
            ),
        ]
    }

    static var presentTLSAbilities: [Ability] { abilities(of: .present, namesGroups: libcurl_names_tls_groups()) }
}

extension TLSAbilities {
    /// Whether the library is an OpenSSL that offers X25519MLKEM768 by default.
    fileprivate var hasHybridGroup: Bool {
        guard library.begins(with: "OpenSSL/") else { return false }
        let numbers = library.dropFirst(8).parts(separatedBy: ".").map { Int($0) ?? 0 }
        guard let major = numbers.first, numbers.count > 1 else { return false }
        return major > 3 || major == 3 && numbers[1] >= 5
    }
}
#endif
