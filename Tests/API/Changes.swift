// Changes of an API, each with the lines that Tests/API/check.py reports. Its self-test compiles this file twice, with
// BEFORE and without it, and expects exactly these lines. A change without a line is one that the check does not see,
// or one that breaks no caller.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// reported: Import Synchronization is no longer exported
#if BEFORE
@_exported public import Synchronization
#else
public import Synchronization
#endif

// MARK: - Reported by the digester

// reported: Func Removal.f() has been removed
public struct Removal {
    #if BEFORE
    public func f() {}
    #endif
}

// reported: Func Label.f(a:) has been renamed to Func f(b:)
public struct Label {
    #if BEFORE
    public func f(a: Int) {}
    #else
    public func f(b: Int) {}
    #endif
}

// Callers still compile: accept it with that reason.
// reported: Func NewDefault.f(a:) has been renamed to Func f(a:b:)
// reported: Constructor NewDefault.init(a:) has been removed
public struct NewDefault {
    #if BEFORE
    public init(a: Int) {}
    public func f(a: Int) {}
    #else
    public init(a: Int, b: Int = 1) {}
    public func f(a: Int, b: Int = 1) {}
    #endif
}

// reported: Func DefaultRemoval.f(a:) has removed default argument from parameter 0
public struct DefaultRemoval {
    #if BEFORE
    public func f(a: Int = 1) {}
    #else
    public func f(a: Int) {}
    #endif
}

// reported: Func ResultType.f() has return type change from Swift.Int to Swift.Int?
public struct ResultType {
    #if BEFORE
    public func f() -> Int { 1 }
    #else
    public func f() -> Int? { 1 }
    #endif
}

// reported: Func Throwing.f() is now throwing
public struct Throwing {
    #if BEFORE
    public func f() {}
    #else
    public func f() throws {}
    #endif
}

// reported: Accessor Setter.value.Set() has been removed
public struct Setter {
    #if BEFORE
    public var value = 1
    #else
    public let value = 1
    #endif
}

// reported: EnumElement NewCase.b has been added as a new enum case
public enum NewCase {
    case a
    #if !BEFORE
    case b
    #endif
}

// reported: Func NewRequirement.f() has been added as a protocol requirement
public protocol NewRequirement {
    #if !BEFORE
    func f()
    #endif
}

// reported: Struct Unsendable has removed conformance to Sendable
#if BEFORE
public struct Unsendable: Sendable {}
#else
public struct Unsendable {}
#endif

// reported: Class Closed is no longer open for subclassing
#if BEFORE
open class Closed {}
#else
public class Closed {}
#endif

// reported: Func Unavailable.f() has been removed
public struct Unavailable {
    #if BEFORE
    public func f() {}
    #else
    @available(*, unavailable) public func f() {}
    #endif
}

// reported: Func PackageAccess.f() has been removed
public struct PackageAccess {
    #if BEFORE
    public func f() {}
    #else
    package func f() {}
    #endif
}

// MARK: - Reported by changes.py

// reported: Func Async.f() now has `async`
public struct Async {
    #if BEFORE
    public func f() {}
    #else
    public func f() async {}
    #endif
}

public struct OneError: Error {}
public struct OtherError: Error {}

// reported: Func TypedError.f() has `throws(LarkspurChanges.OtherError)` in place of `throws(LarkspurChanges.OneError)`
public struct TypedError {
    #if BEFORE
    public func f() throws(OneError) {}
    #else
    public func f() throws(OtherError) {}
    #endif
}

// reported: Var ThrowingGetter.value can now throw
public struct ThrowingGetter {
    #if BEFORE
    public var value: Int { 1 }
    #else
    public var value: Int { get throws { 1 } }
    #endif
}

// reported: Func ClosureAttribute.f(_:) now has `@Sendable`
// reported: Var ClosureAttribute.value now has `@Sendable`
public struct ClosureAttribute {
    #if BEFORE
    public var value: () -> Void = {}
    public func f(_ closure: @escaping () -> Void) {}
    #else
    public var value: @Sendable () -> Void = {}
    public func f(_ closure: @escaping @Sendable () -> Void) {}
    #endif
}

// The other overload has another line of the digester.
// reported: Func Overloads.f(_:) has parameter 0 type change from Swift.Double to Swift.String
// reported: Func Overloads.f(_:) now has `async`
public struct Overloads {
    #if BEFORE
    public func f(_ value: Int) {}
    public func f(_ value: Double) {}
    #else
    public func f(_ value: Int) async {}
    public func f(_ value: String) {}
    #endif
}

// reported: Func Variadic.f(_:) has `[Swift.Int]` in place of `Swift.Int...`
public struct Variadic {
    #if BEFORE
    public func f(_ values: Int...) {}
    #else
    public func f(_ values: [Int]) {}
    #endif
}

// reported: EnumElement PayloadLabel.a has another type
public enum PayloadLabel {
    #if BEFORE
    case a(Int)
    #else
    case a(value: Int)
    #endif
}

// reported: Func TupleLabel.f() has `x` in place of `a`
public struct TupleLabel {
    #if BEFORE
    public func f() -> (a: Int, b: Int) { (1, 2) }
    #else
    public func f() -> (x: Int, b: Int) { (1, 2) }
    #endif
}

// reported: Func Isolation.f() now has a custom attribute, such as @MainActor
public struct Isolation {
    #if BEFORE
    public func f() {}
    #else
    @MainActor public func f() {}
    #endif
}

// reported: Func IsolatedMember.f() is no longer nonisolated
public actor IsolatedMember {
    #if BEFORE
    public nonisolated func f() {}
    #else
    public func f() {}
    #endif
}

// reported: Func Discardable.f() is no longer @discardableResult
public struct Discardable {
    #if BEFORE
    @discardableResult public func f() -> Int { 1 }
    #else
    public func f() -> Int { 1 }
    #endif
}

// reported: Var SetterRequirement.value is now required to have a setter
public protocol SetterRequirement {
    #if BEFORE
    var value: Int { get }
    #else
    var value: Int { get set }
    #endif
}

// reported: Constructor Convenience.init(a:) is now a convenience initializer
open class Convenience {
    public init() {}
    #if BEFORE
    public init(a: Int) {}
    #else
    public convenience init(a: Int) { self.init() }
    #endif
}

public protocol Own {}
public protocol OtherOwn {}

// reported: Extension Int has removed conformance to Own
#if BEFORE
extension Int: Own {}
#endif

// reported: Extension String has removed conformance to Own
#if BEFORE
extension String: Own, OtherOwn {}
#else
extension String: OtherOwn {}
#endif

// Callers still compile, and an override or a conformance may not: accept it with that reason.
// reported: Func ErrorRemoval.f() no longer has `throws`
public struct ErrorRemoval {
    #if BEFORE
    public func f() throws {}
    #else
    public func f() {}
    #endif
}

// Callers still compile: accept it with that reason.
// reported: Func Derived.f() is missing
#if BEFORE
open class Base {}
open class Derived: Base {
    public func f() {}
}
#else
open class Base {
    public func f() {}
}
open class Derived: Base {}
#endif

// MARK: - Breaking, and not seen

public struct AsyncGetter {
    #if BEFORE
    public var value: Int { 1 }
    #else
    public var value: Int { get async { 1 } }
    #endif
}

public class Reference {}

public struct SendingResult {
    #if BEFORE
    public func f() -> sending Reference { Reference() }
    #else
    public func f() -> Reference { Reference() }
    #endif
}

public struct AliasedClosure {
    #if BEFORE
    public typealias Closure = () -> Void
    #else
    public typealias Closure = @Sendable () -> Void
    #endif
}

public struct BuilderOfParameter {
    @resultBuilder public struct Builder {
        public static func buildBlock(_ values: Int...) -> Int { 1 }
    }
    #if BEFORE
    public func f(@Builder _ closure: () -> Int) {}
    #else
    public func f(_ closure: () -> Int) {}
    #endif
}

#if BEFORE
public protocol PrimaryType<Value> {
    associatedtype Value
}
#else
public protocol PrimaryType {
    associatedtype Value
}
#endif

public struct PrimaryTypeOfResult {
    #if BEFORE
    public func f() -> some Sequence<Int> { [1] }
    #else
    public func f() -> some Sequence { [1] }
    #endif
}

public struct Condition<Value> {}
#if BEFORE
extension Condition: Sendable where Value: Equatable {}
#else
extension Condition: Sendable where Value: Hashable {}
#endif

#if BEFORE
public struct UnavailableConformance: Sendable {}
#else
public struct UnavailableConformance {}
@available(*, unavailable) extension UnavailableConformance: Sendable {}
#endif

#if BEFORE
public final class ActorOfClass {
    public func f() {}
}
#else
public actor ActorOfClass {
    public func f() {}
}
#endif

// A call with a literal, or of a function with a default, may be ambiguous.
public struct NewOverload {
    public func f(_ value: Float) {}
    #if !BEFORE
    public func f(_ value: String) {}
    #endif
}

// MARK: - Seen by no compiler

public struct DefaultValue {
    #if BEFORE
    public func f(a: Int = 1) {}
    #else
    public func f(a: Int = 2) {}
    #endif
}

public enum RawValue: Int {
    #if BEFORE
    case a = 1
    #else
    case a = 2
    #endif
}

// MARK: - Compatible

public struct Addition {
    #if !BEFORE
    public func f() {}
    #endif
}

public protocol DefaultImplementation {
    #if !BEFORE
    func f()
    #endif
}

#if !BEFORE
extension DefaultImplementation {
    public func f() {}
}
#endif

public struct Conformance {}
#if !BEFORE
extension Conformance: Equatable {}
#endif

public struct Deprecation {
    #if BEFORE
    public func f() {}
    #else
    @available(*, deprecated) public func f() {}
    #endif
}

public struct InternalName {
    #if BEFORE
    public func f(a one: Int) {}
    #else
    public func f(a other: Int) {}
    #endif
}

public struct Implementation {
    package var detail = 1
    #if BEFORE
    public private(set) var value = 1
    package func f() {}
    @usableFromInline func g() {}
    #else
    public var value: Int { 1 }
    #endif
}
