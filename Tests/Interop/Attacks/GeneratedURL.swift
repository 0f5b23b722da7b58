#if os(Linux)
import Foundation
import Larkspur
import TestSupport

/// A random URL of a stranger, with the DNS records of its names.
struct GeneratedURL: Sendable, CustomStringConvertible {
    /// The kinds of calls for which the URL is used.
    enum Call: CaseIterable, Sendable {
        case get, head, post, upload, download, stream, webSocket
    }

    let url: String
    let names: [String: [[String]]]
    let call: Call

    var description: String { "\(call) \(url.debugDescription), names \(names)" }

    /// - Parameters:
    ///   - number: A number that no other URL of the run has. Its names contain it.
    ///   - generator: The generator of all choices.
    init(_ number: Int, _ generator: inout SeededGenerator) {
        var maker = Maker(number: number, generator: generator)
        var url = maker.url(isLast: true)
        for _ in 0..<Int.random(in: 0...3, using: &maker.generator) {
            let path = url.redirected(
                [301, 302, 303, 307, 308].randomElement(using: &maker.generator) ?? 302,
                closing: .random(using: &maker.generator)
            )
            url = maker.url(isLast: false) + path
        }
        call = Call.allCases.randomElement(using: &maker.generator) ?? .get
        self.url =
            call == .webSocket && Bool.random(using: &maker.generator) ? url.replacingPrefix("http", by: "ws") : url
        names = maker.names
        generator = maker.generator
    }
}

extension String {
    fileprivate func replacingPrefix(_ prefix: String, by other: String) -> String {
        hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
    }
}

/// Makes the parts of a URL.
private struct Maker {
    let number: Int
    var generator: SeededGenerator
    var names: [String: [[String]]] = [:]

    private static let networks: [(first: [UInt8], count: Int)] = [
        ([127], 1), ([10], 1), ([169, 254], 2), ([172, 16], 2), ([172, 31], 2), ([192, 168], 2), ([100, 64], 2),
        ([100, 127], 2), ([0], 1), ([198, 18], 2), ([203, 0, 113], 3), ([192, 0, 2], 3), ([240], 1), ([255], 1),
    ]
    private static let known: [[UInt8]] = [
        [127, 0, 0, 1], [127, 0, 0, 1], [169, 254, 169, 254], [169, 254, 169, 254], [168, 63, 129, 16], [10, 0, 0, 5],
        [192, 168, 1, 1], [100, 100, 100, 200], [0, 0, 0, 0], [224, 0, 0, 1],
    ]
    private static let sixths = [
        "::1", "::", "fd00:ec2::254", "fe80::1", "fc00::1", "2002:7f00:1::", "2001:0:7f00:1::", "64:ff9b:1::7f00:1",
        "3fff::1", "5f00::1", "2001:db8::1", "ff02::1", "100::1", "4000::1", "fec0::1",
    ]
    private static let allowed: [UInt8] = [93, 184, 216, 34]

    mutating func choose<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &generator)] }

    mutating func isIn(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    // MARK: URLs

    mutating func url(isLast: Bool) -> String {
        let host = isIn(isLast ? 80 : 30) ? anyHost() : (isIn(50) ? AttackNetwork.host : name([[AttackNetwork.host]]))
        var scheme = isIn(75) ? "http" : "https"
        if isLast, isIn(5) { scheme = choose(["HTTP", "hTTps", "ws", "ftp", "file", "gopher", "http+unix"]) }
        let user =
            isLast && isIn(10)
            ? choose(["user@", "user:pass@", "\(AttackNetwork.host)@", "\(AttackNetwork.host):80@", "@", "a%40b@"]) : ""
        let port = isLast && isIn(12) ? choose([":80", ":443", ":080", ":8080", ":22", ":", ":65616"]) : ""
        let slashes = isLast && isIn(4) ? choose(["//", "/", "///", "\\\\", "/\\"]) : "//"
        var text = "\(scheme):\(slashes)\(user)\(host)\(port)"
        if isLast {
            text +=
                isIn(90)
                ? "/\(number)" : choose(["", "?\(number)", "#\(number)", "\\@\(AttackNetwork.host)/", "/../\(number)"])
        }
        if isLast, isIn(3) { text = choose([" ", "\t", "\n"]) + text }
        if isLast, isIn(2) {
            let place = text.index(text.startIndex, offsetBy: Int.random(in: 0...text.count, using: &generator))
            text.insert(choose(["\t", "\n", "\r", "\u{AD}", "\u{200B}", "\u{0}", " ", "\u{FF0E}"]), at: place)
        }
        return text
    }

    mutating func anyHost() -> String {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4: spelling(of: isIn(85) ? forbidden() : Self.allowed)
        case 4..<6: sixth(isIn(85) ? forbidden() : Self.allowed)
        case 6: choose(["localhost", "LocalHost", "localhost.", "ｌocalhost", "a.localhost", "%6cocalhost"])
        default: name(rounds())
        }
    }

    // MARK: Addresses

    mutating func forbidden() -> [UInt8] {
        if isIn(50) { return choose(Self.known) }
        let network = choose(Self.networks)
        return network.first + (network.count..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// An IPv4 address in a notation of WHATWG's URL standard, perhaps in other digits or with escapes.
    mutating func spelling(of bytes: [UInt8]) -> String {
        var rest = bytes.map(Int.init)
        // The last number contains the bytes that have no number of their own.
        let numbers = choose([1, 2, 3, 4, 4, 4])
        let last = rest[(numbers - 1)...].reduce(0) { $0 << 8 | $1 }
        rest = rest.prefix(numbers - 1) + [last]
        var text = rest.map { value in
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: "0x" + String(value, radix: 16)
            case 1: "0X00" + String(value, radix: 16, uppercase: true)
            case 2: "0" + String(value, radix: 8)
            case 3: "000" + String(value, radix: 8)
            default: String(value)
            }
        }.joined(separator: ".")
        if isIn(15) { text += "." }
        if isIn(15) { text = text.replacingOccurrences(of: ".", with: choose(["。", "．", "｡", "%2E", "%2e"])) }
        if isIn(15) { text = String(text.map { otherDigit($0) }) }
        if isIn(10) { text = text.utf8.map { "%" + String($0, radix: 16) }.joined() }
        return text
    }

    private mutating func otherDigit(_ character: Character) -> Character {
        guard isIn(60), let value = character.wholeNumberValue, character.isASCII else { return character }
        let circled: [Character] = ["⓪", "①", "②", "③", "④", "⑤", "⑥", "⑦", "⑧", "⑨"]
        let wide: [Character] = ["０", "１", "２", "３", "４", "５", "６", "７", "８", "９"]
        return isIn(50) ? circled[value] : wide[value]
    }

    /// An IPv6 address, perhaps one that contains an IPv4 address.
    mutating func sixth(_ bytes: [UInt8]) -> String {
        let hex = String(format: "%x:%x", Int(bytes[0]) << 8 | Int(bytes[1]), Int(bytes[2]) << 8 | Int(bytes[3]))
        let dotted = bytes.map(String.init).joined(separator: ".")
        let tail = isIn(50) ? hex : dotted
        var text =
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: "::ffff:\(tail)"
            case 1: "0:0:0:0:0:ffff:\(tail)"
            case 2: "::\(tail)"
            case 3: "64:ff9b::\(tail)"
            case 4: "0064:ff9b:0000:0:0:0:\(tail)"
            case 5: "64:ff9b:1::\(hex)"
            case 6: "2002:\(hex)::"
            case 7: AttackNetwork.sixth
            default: choose(Self.sixths)
            }
        if isIn(20) { text = text.uppercased() }
        if isIn(10) { text += choose(["%25lo", "%lo", "%251", "%25"]) }
        return "[\(text)]"
    }

    // MARK: DNS

    mutating func name(_ rounds: [[String]]) -> String {
        let name = "g\(number)-\(names.count).stranger.test"
        names[name] = rounds
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: return name + "."
        case 1: return name.uppercased()
        case 2: return name.replacingOccurrences(of: ".", with: "。")
        default: return name
        }
    }

    mutating func rounds() -> [[String]] {
        (0..<Int.random(in: 1...3, using: &generator)).map { _ in
            (0..<Int.random(in: 1...3, using: &generator)).map { _ in record() }
        }
    }

    private mutating func record() -> String {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4: return forbidden().map(String.init).joined(separator: ".")
        case 4..<7: return AttackNetwork.host
        case 7: return choose(Self.sixths)
        case 8: return choose(["::ffff:127.0.0.1", "64:ff9b::a00:5", AttackNetwork.sixth, "::ffff:10.0.0.5"])
        default:
            let alias = "a\(number)-\(names.count).stranger.test"
            names[alias] = [[isIn(70) ? forbidden().map(String.init).joined(separator: ".") : AttackNetwork.host]]
            return alias
        }
    }
}
#endif
