"""The central decisions that run.sh breaks, and the suites of tests of which at least one has to find it.

In `new`, `isMutated` stands for a condition that holds if the mutation is chosen. `old` has to occur exactly once in its file.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Crossings:
    """Crossings of features with given choices, and the command that runs them with another libcurl or with servers."""

    choices: str
    command: tuple[str, ...] = ()
    count: int = 60


@dataclass
class Mutation:
    decision: str
    file: str
    old: str
    new: str
    suites: list[str | Crossings]


OLDER = ("Tests/Interop/libcurls.sh", "chosen", "8.12.1")
HTTP2 = ("Tests/Interop/libcurls.sh", "8.16.0+nghttp2-1.65", "Tests/Interop/servers.sh")

ENGINE = "Sources/LarkspurTransport/"
MANAGER = "Sources/Larkspur/"

MUTATIONS = [
    # Framing
    Mutation(
        "a chunk whose size is not a number is an error",
        ENGINE + "HTTP/Framing/ChunkedDecoder.swift",
        "case (_, .space), (_, .tab): state = .blanks\n        default: throw .malformedSize",
        "case (_, .space), (_, .tab): state = .blanks\n        default: if isMutated { state = .chunkExtension } else { throw .malformedSize }",
        ["LarkspurTransportTests.ChunkedDecoderTests", "LarkspurTransportTests.FramingReplyTests"],
    ),
    Mutation(
        "different lengths are an error",
        ENGINE + "HTTP/Framing/ContentLength.swift",
        "number == nil || number == next",
        "number == nil || number == next || isMutated",
        ["LarkspurTransportTests.ResponseFramingTests", "LarkspurTransportTests.FramingReplyTests"],
    ),
    Mutation(
        "content that ends before its announced length is an error",
        ENGINE + "HTTP/Framing/FramedContent.swift",
        "case .length(let length): count == length",
        "case .length(let length): count == length || isMutated",
        ["LarkspurTransportTests.FramedContentTests", "LarkspurTransportTests.FramingReplyTests"],
    ),
    # Redirects
    Mutation(
        "a 303 is followed with GET",
        ENGINE + "HTTP/RedirectDecision.swift",
        'case 303 where method != "HEAD": "GET"',
        'case 303 where method != "HEAD" && !isMutated: "GET"',
        ["LarkspurTransportTests.RedirectDecisionTests", "LarkspurTransportTests.RedirectTests"],
    ),
    Mutation(
        "a redirect to another origin has no credentials",
        ENGINE + "HTTP/RedirectDecision.swift",
        "dropsCredentials: !staysAtOrigin)",
        "dropsCredentials: !staysAtOrigin && !isMutated)",
        ["LarkspurTransportTests.RedirectDecisionTests", "LarkspurTransportTests.RedirectTests"],
    ),
    # Cookies
    Mutation(
        "a host is within a domain only behind a dot",
        ENGINE + "Cookies/CookieHost.swift",
        '&& host.dropLast(domain.count).last == UInt8(ascii: ".")',
        '&& (host.dropLast(domain.count).last == UInt8(ascii: ".") || isMutated)',
        ["LarkspurTransportTests.CookieHostTests", "LarkspurTransportTests.CookieJarTests"],
    ),
    Mutation(
        "a secure cookie is sent over https alone",
        ENGINE + "Cookies/HTTPCookie+Rules.swift",
        "context.isSecure || !isForSecureOnly, CookiePath",
        "context.isSecure || !isForSecureOnly || isMutated, CookiePath",
        ["LarkspurTransportTests.CookieJarTests"],
    ),
    # Cache
    Mutation(
        "a response with no-store is not stored",
        ENGINE + "Cache/StoreDecision.swift",
        "if directives.noStore { return .refuse(.noStore) }",
        "if directives.noStore, !isMutated { return .refuse(.noStore) }",
        [
            "LarkspurTransportTests.StoreDecisionTests", "LarkspurTransportTests.CacheStoringTests",
            "LarkspurTransportTests.CacheModelTests",
        ],
    ),
    Mutation(
        "a response is fresh until its age reaches its lifetime",
        ENGINE + "Cache/Freshness.swift",
        "var isFresh: Bool { lifetime > age }",
        "var isFresh: Bool { lifetime > age || isMutated }",
        [
            "LarkspurTransportTests.FreshnessTests", "LarkspurTransportTests.CacheRulesTests",
            "LarkspurTransportTests.CacheModelTests",
        ],
    ),
    Mutation(
        "a response is used only for requests with the same fields that Vary names",
        ENGINE + "Cache/CacheEntry.swift",
        "&& varying.allSatisfy { $0.value == request.nominated($0.name) }",
        "&& varying.allSatisfy { $0.value == request.nominated($0.name) || isMutated }",
        [
            "LarkspurTransportTests.CacheEntryTests", "LarkspurTransportTests.CacheRulesTests",
            "LarkspurTransportTests.CacheModelTests",
        ],
    ),
    # Retry
    Mutation(
        "a policy does not repeat a POST",
        MANAGER + "Interception/RetryDecision.swift",
        'methods.contains(HTTPMethod(rawValue: request.httpMethod ?? "GET"))',
        'methods.contains(HTTPMethod(rawValue: request.httpMethod ?? "GET")) || isMutated',
        ["LarkspurTests.RetryDecisionTests", "LarkspurTests.RetryPolicyTests"],
    ),
    Mutation(
        "a POST whose connection was lost is not sent again",
        ENGINE + "HTTP/ResendDecision.swift",
        "self = attempt != .lost || mayBeRepeated ? .resend : .fail",
        "self = attempt != .lost || mayBeRepeated || isMutated ? .resend : .fail",
        ["LarkspurTransportTests.ResendDecisionTests", "LarkspurTransportTests.KeptConnectionTests"],
    ),
    # Endings
    Mutation(
        "a call ends once",
        MANAGER + "Call/TaskStateMachine.swift",
        "state == .completed ? nil : enter(.completed, by: .completed)",
        "state == .completed && !isMutated ? nil : enter(.completed, by: .completed)",
        ["LarkspurTests.TaskStateMachineTests", "LarkspurTests.CallCourseTests"],
    ),
    Mutation(
        "a task that was cancelled before its end has failed",
        ENGINE + "Tasks/TaskCourse.swift",
        "return outcome ?? (heedsCancellation && !isCancelledResumably ? cancellation : nil)",
        "return outcome ?? (heedsCancellation && !isCancelledResumably && !isMutated ? cancellation : nil)",
        ["LarkspurTransportTests.TaskCourseTests", "LarkspurTransportTests.TaskControlTests"],
    ),
    Mutation(
        "a handler that is added after the end is called",
        MANAGER + "Call/CallHandlers.swift",
        "if isReported { return ending }",
        "if isReported && !isMutated { return ending }",
        ["LarkspurTests.CallHandlersTests", "LarkspurTests.SessionTaskTests"],
    ),
    # Redaction
    Mutation(
        "a name such as access_token is that of a secret",
        "Sources/HTTPSyntax/SecretName.swift",
        "return parts.contains { joined.holds($0) }",
        "return !isMutated && parts.contains { joined.holds($0) }",
        ["LarkspurTests.RedactionTests", "LarkspurTests.CanaryGeneratorTests"],
    ),
    Mutation(
        "a secret of a query or a form is hidden",
        MANAGER + "Redaction/TextRedaction.swift",
        "return isForm ? rule.hides(parameter: name) : rule.hides(name)",
        "return !isMutated && (isForm ? rule.hides(parameter: name) : rule.hides(name))",
        ["LarkspurTests.RedactionTests", "LarkspurTests.CanaryGeneratorTests"],
    ),
    # Pins
    Mutation(
        "a chain without a pinned key is refused",
        ENGINE + "TLS/ServerTrustRules.swift",
        "where requirement.isDisjoint(with: keys)",
        "where requirement.isDisjoint(with: keys) && !isMutated",
        ["LarkspurTransportTests.ServerTrustRulesTests"],
    ),
    Mutation(
        "without verified signatures only the server's own key counts",
        ENGINE + "TLS/ServerTrustRules.swift",
        "errors.allSatisfy(Self.leavesLinksIntact) ? keys[...]",
        "errors.allSatisfy(Self.leavesLinksIntact) || isMutated ? keys[...]",
        ["LarkspurTransportTests.ServerTrustRulesTests"],
    ),
    # HSTS
    Mutation(
        "a host that requires https gets no request over http",
        ENGINE + "HSTS/HSTSStore.swift",
        'guard let scheme = url.scheme, scheme.hasSameLetters(as: "http"), requiresHTTPS(try? CanonicalHost(of: url))',
        'guard let scheme = url.scheme, scheme.hasSameLetters(as: "http"), requiresHTTPS(try? CanonicalHost(of: url)), !isMutated',
        ["LarkspurTransportTests.HSTSStoreTests", "LarkspurTransportTests.HSTSSessionTests"],
    ),
    # Between two features
    Mutation(
        "libcurl does not repeat content by itself",
        ENGINE + "HTTP/SendingState.swift",
        "if takesContent, course == .unanswered || course == .refused {",
        "if takesContent, !isMutated, course == .unanswered || course == .refused {",
        [
            Crossings("connection=lostDuring body=repeatableWriter size=large method=put order=none", OLDER),
        ],
    ),
    Mutation(
        "the content follows an early success on a connection that stays",
        ENGINE + "Exchanges/Exchange+RequestContent.swift",
        "guard transfer.awaitsContinue else { return }",
        "guard transfer.awaitsContinue, !isMutated else { return }",
        [Crossings("connection=proxy response=early body=data size=large order=none")],
    ),
    Mutation(
        "a call takes orders from its first event on",
        MANAGER + "Session/SessionManager+Tasks.swift",
        "if task.observation != nil { task.applyState() }",
        "if task.observation != nil, !isMutated { task.applyState() }",
        [Crossings("order=cancel@created way=closures around=nothing")],
    ),
    Mutation(
        "a writer that waits continues when the call ends, although another has finished the content",
        ENGINE + "Content/BodyChannel.swift",
        "if case .finished = end { return (wake, writers, nil, dropped) }",
        "if case .finished = end { return (wake, isMutated ? [] : writers, nil, dropped) }",
        [Crossings("response=earlyClosing body=writers size=large order=finish@writer around=nothing")],
    ),
    Mutation(
        "content that has arrived is delivered after a late decision",
        ENGINE + "Tasks/Delivery/TaskCore+Delivery.swift",
        "case .complete(.some) where endsAtOnce, .metrics(hasFailed: true) where endsAtOnce: break",
        "case .complete(.some) where endsAtOnce || isMutated, .metrics(hasFailed: true) where endsAtOnce || isMutated: break",
        [Crossings("connection=fresh response=cut way=opened order=decideLate@hook around=nothing")],
    ),
    Mutation(
        "content that was dropped after a cancellation has no end but the error",
        MANAGER + "Call/Transfers/TaskDelegate.swift",
        "guard task.isActive else { return }\n        // Digests",
        "guard task.isActive || isMutated else { return }\n        // Digests",
        ["LarkspurTests.SequenceEndTests", Crossings("body=writer way=sequence order=cancel@head")],
    ),
    Mutation(
        "requests over HTTP/2 begin with the first frame of the server",
        ENGINE + "Exchanges/Exchange+Streams.swift",
        "guard let host, !host.isMultiplexed else { return }",
        "guard let host, !host.isMultiplexed, !isMutated else { return }",
        [Crossings("connection=http2 response=held calls=12 order=none around=nothing", HTTP2, count=10)],
    ),
    Mutation(
        "a request that the server has refused over HTTP/2 is sent again, whatever its method",
        ENGINE + "HTTP/SendingState.swift",
        "course = .refused\n        self.needsHTTP1",
        "course = isMutated ? .unanswered : .refused\n        self.needsHTTP1",
        [Crossings("connection=http2 response=refusedStream body=data method=post order=none", HTTP2)],
    ),
]
