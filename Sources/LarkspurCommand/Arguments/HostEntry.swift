import HTTPSyntax
import Larkspur

/// An entry of `--resolve`: a host and a port, and the addresses to which connections to them are opened.
struct HostEntry: Equatable, Sendable {
    let host: String
    let port: Int
    let addresses: [String]

    /// Reads an entry in curl's notation: `HOST:PORT:ADDRESS[,ADDRESS…]`. An IPv6 address may be in brackets. A plus
    /// sign in front is ignored: with curl, it lets an entry expire, and a run of this program is too short for that.
    init(_ text: String) throws(UsageError) {
        func failure(_ reason: String) -> UsageError { UsageError("--resolve: “\(text)”: \(reason)") }
        guard !text.begins(with: "-") else { throw failure("there is no entry to remove.") }
        let entry = text.begins(with: "+") ? Substring(text.utf8.dropFirst()) : text[...]
        guard let (host, rest) = entry.cut(at: ":"), let (number, list) = rest.cut(at: ":"), !host.isEmpty else {
            throw failure("the notation is HOST:PORT:ADDRESS[,ADDRESS].")
        }
        guard host != "*" else { throw failure("an entry is for one host, and * is none.") }
        guard let port = number.utf8.decimalNumber(atMost: 65536), (1...65535).contains(port) else {
            throw failure("“\(number)” is no port.")
        }
        let addresses = list.parts(separatedBy: ",", omittingEmptyParts: false).map(String.init)
        for address in addresses where IPAddress(address) == nil { throw failure("“\(address)” is no address.") }
        self.host = String(host)
        self.port = port
        self.addresses = addresses
        #if canImport(FoundationNetworking)
        guard HostAddress(host: self.host, port: port, addresses: addresses).isValid else {
            throw failure("“\(host)” is no host.")
        }
        #endif
    }
}
