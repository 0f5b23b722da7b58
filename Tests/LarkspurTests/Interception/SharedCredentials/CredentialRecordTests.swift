import TestSupport
import Testing

@testable import Larkspur

@Suite("Records of shared credentials")
struct CredentialRecordTests {
    private static let login = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private static let first = CredentialRecord(credential: Data("c0".utf8), login: login)
    private static let second = first.refreshed(Data("c1".utf8), at: Date(timeIntervalSince1970: 1.5))
    private static let other = CredentialRecord(credential: Data("x".utf8))
    private static let initial = marked(first, isInitial: true)
    private static let begun = first.marked(CredentialRecord.Refresh(lease: 7))
    private static let ended = first.marked(CredentialRecord.Refresh(lease: 7, hasEnded: true))

    private static func marked(_ record: CredentialRecord, isInitial: Bool) -> CredentialRecord {
        var record = record
        record.isInitial = isInitial
        return record
    }

    // MARK: JSON

    @Test("A record is read as it was written", arguments: [first, second, other, begun, ended, initial])
    func roundTrip(_ record: CredentialRecord) throws {
        #expect(try CredentialRecord(json: try #require(record.json)) == record)
    }

    @Test("The JSON of a record stays the same")
    func json() throws {
        let record = Self.second.marked(CredentialRecord.Refresh(lease: 7))
        #expect(
            String(decoding: try #require(record.json), as: UTF8.self) == """
                {"credential":"YzE=","format":1,"login":"01020304-0506-0708-090A-0B0C0D0E0F10","number":1,\
                "refresh":{"hasEnded":false,"lease":7},"refreshed":1.5}
                """
        )
        #expect(CredentialRecord(credential: Data()).json == nil)
    }

    @Test(
        "Other data are no record",
        arguments: [
            "", "{}", "[]", "null", "1", "{\"format\":1}", "{\"format\":\"1\"}", "\u{0}",
            #"{"format":1,"login":"01020304-0506-0708-090A-0B0C0D0E0F10","number":-1,"credential":"YzE="}"#,
            #"{"format":1,"login":"01020304-0506-0708-090A-0B0C0D0E0F10","number":1,"credential":""}"#,
            #"{"format":1,"login":"01020304-0506-0708-090A-0B0C0D0E0F10","number":1,"credential":"%"}"#,
            #"{"format":1,"login":"no","number":1,"credential":"YzE="}"#,
            #"{"format":1,"login":"01020304-0506-0708-090A-0B0C0D0E0F10","number":18446744073709551615}"#,
        ]
    )
    func damaged(_ text: String) {
        #expect(throws: CredentialRecord.Defect.damaged) { try CredentialRecord(json: Data(text.utf8)) }
    }

    @Test("A record of a later version is not read")
    func unknownFormat() {
        #expect(throws: CredentialRecord.Defect.unknownFormat) {
            try CredentialRecord(json: Data(#"{"format":2,"new":true}"#.utf8))
        }
    }

    @Test("Each part of a record is no record, and random changes never crash", .seeded)
    func damage() throws {
        let json = try #require(Self.ended.json)
        for count in 0..<json.count {
            #expect(throws: CredentialRecord.Defect.self) { try CredentialRecord(json: json.prefix(count)) }
        }
        var generator = SeededGenerator()
        for _ in 0..<5000 {
            var changed = json
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                changed[Int.random(in: 0..<json.count, using: &generator)] = UInt8.random(
                    in: .min ... .max,
                    using: &generator
                )
            }
            _ = try? CredentialRecord(json: changed)
        }
    }

    // MARK: Steps

    private static func copies() -> [(String, CredentialCopy, CredentialRecord?, CredentialCopy.Step)] {
        var known = CredentialCopy(initial: nil)
        known.adopt(first)
        var renewed = known
        renewed.wasRefreshed(to: second)
        let (none, initial) = (CredentialCopy(initial: nil), CredentialCopy(initial: first))
        var (begunByOther, seen, adopted) = (known, known, known)
        begunByOther.wasStored(as: begun)
        seen.wasStored(as: ended)
        adopted.adopt(begun)
        var configured = CredentialCopy(initial: first)
        configured.wasStored(as: Self.initial)
        let otherInitial = marked(other, isInitial: true)
        let (set, removed) = (CredentialCopy(replacement: other), CredentialCopy(replacement: nil))
        let removal = CredentialRecord.removal
        return [
            ("nothing, nothing", none, nil, .remove),
            ("nothing, a record", none, first, .adopt(first)),
            ("initial, nothing", initial, nil, .write(Self.initial)),
            ("initial, another initial", initial, otherInitial, .adopt(otherInitial)),
            ("known initial, another initial", configured, otherInitial, .adopt(otherInitial)),
            ("known, another initial", known, otherInitial, .write(first)),
            ("renewed, another initial", renewed, otherInitial, .write(second)),
            ("begun, another initial", begunByOther, otherInitial, .write(begun)),
            ("begun, nothing", begunByOther, nil, .write(begun)),
            ("ended, nothing", seen, nil, .write(ended)),
            ("adopted during a refresh, nothing", adopted, nil, .write(begun)),
            ("initial, another", initial, other, .adopt(other)),
            ("initial, the same", initial, begun, .keep(begun)),
            ("known, nothing", known, nil, .write(first)),
            ("known, the same", known, ended, .keep(ended)),
            ("known, newer", known, second, .adopt(second)),
            ("known, another", known, other, .adopt(other)),
            ("renewed, nothing", renewed, nil, .write(second)),
            ("renewed, older", renewed, begun, .write(second)),
            ("renewed, the same", renewed, second, .keep(second)),
            ("renewed, another", renewed, other, .adopt(other)),
            ("set, nothing", set, nil, .write(other)),
            ("set, another", set, ended, .write(other)),
            ("set, the same", set, other, .keep(other)),
            ("nothing, a removal", none, removal, .remove),
            ("initial, a removal", initial, removal, .write(first)),
            ("known, a removal", known, removal, .remove),
            ("renewed, a removal", renewed, removal, .remove),
            ("set, a removal", set, removal, .write(other)),
            ("removed, a removal", removed, removal, .remove),
        ]
    }

    @Test("The copy and the store's record decide about the next step")
    func steps() {
        for (name, copy, stored, step) in Self.copies() { #expect(copy.step(beside: stored) == step, "\(name)") }
    }

    @Test("The removal of a credential is stored, also if the store has no record")
    func removal() {
        for stored in [nil, Self.first] {
            guard case .write(let record) = CredentialCopy(replacement: nil).step(beside: stored) else {
                Issue.record("The removal is not stored.")
                continue
            }
            #expect(record.credential == nil)
            #expect(record.json.flatMap { try? CredentialRecord(json: $0) } == record)
        }
    }

    @Test("A set credential that was refreshed by another process already is not written again")
    func setAndRefreshed() {
        let newer = Self.other.refreshed(Data("y".utf8), at: Date())
        #expect(CredentialCopy(replacement: Self.other).step(beside: newer) == .adopt(newer))
    }

    @Test("The marker and the lease decide whether a refresh begins")
    func refreshSteps() {
        var copy = CredentialCopy(initial: nil)
        copy.adopt(Self.first)
        var unused = copy
        unused.wasNotUsed(under: 7)
        let new = Self.first.marked(CredentialRecord.Refresh(lease: 9))
        let table: [(CredentialCopy, CredentialRecord, UInt64?, Bool, CredentialCopy.RefreshStep)] = [
            (copy, Self.first, nil, false, .acquire),
            (copy, Self.first, 9, false, .begin(new)),
            (copy, Self.begun, nil, false, .acquire),
            (copy, Self.begun, 9, false, .fail(Self.ended)),
            (copy, Self.begun, 9, true, .begin(new)),
            (copy, Self.ended, nil, false, .fail(nil)),
            (copy, Self.ended, 9, false, .fail(nil)),
            (copy, Self.ended, nil, true, .acquire),
            (unused, Self.begun, 9, false, .begin(new)),
            (unused, Self.ended, nil, false, .acquire),
            (unused, Self.ended, 9, false, .begin(new)),
        ]
        for (index, (copy, stored, lease, isRepeatable, step)) in table.enumerated() {
            #expect(copy.refreshStep(of: stored, lease: lease, isRepeatable: isRepeatable) == step, "\(index)")
        }
    }

    @Test("The end of a refresh without a result changes its own marker alone")
    func endings() {
        var copy = CredentialCopy(initial: nil)
        copy.adopt(Self.first)
        #expect(copy.ending(of: Self.begun, lease: 7) == Self.ended)
        #expect(copy.ending(of: Self.ended, lease: 7) == nil)
        #expect(copy.ending(of: Self.begun, lease: 8) == nil)
        #expect(copy.ending(of: Self.first, lease: 7) == nil)
        #expect(copy.ending(of: Self.second, lease: 7) == nil)
        #expect(copy.ending(of: nil, lease: 7) == nil)
    }

    @Test("The marker of an unused lease is removed, and a late one prevented, unless another process has begun")
    func clearing() {
        var copy = CredentialCopy(initial: nil)
        copy.adopt(Self.begun)
        #expect(copy.clearing(of: Self.begun) == nil)
        copy.wasNotUsed(under: 7)
        #expect(copy.record == Self.first)
        for stored in [Self.begun, Self.ended, Self.first] { #expect(copy.clearing(of: stored) == Self.first) }
        let others = [Self.first.marked(CredentialRecord.Refresh(lease: 8)), Self.second, Self.other, nil]
        for stored in others { #expect(copy.clearing(of: stored) == nil) }
        copy.forgetUnusedLease()
        #expect(copy.clearing(of: Self.begun) == nil)
    }
}
