"""The central decisions that run.sh breaks, and the suites of tests of which at least one has to find it.

In `new`, `isMutated` stands for a condition that holds if the mutation is chosen. `old` has to occur exactly once in its file. A decision that stands
in several places has the others in `also`.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Suite:
    """A suite of tests, and the command that runs it with another libcurl or with servers."""

    name: str
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class Crossings:
    """Crossings of features with given choices, and the command that runs them with another libcurl or with servers."""

    choices: str
    command: tuple[str, ...] = ()
    count: int = 60
    name = "LarkspurTests.CrossingTests"


@dataclass
class Change:
    """A change of a file."""

    file: str
    old: str
    new: str


@dataclass
class Mutation:
    decision: str
    file: str
    old: str
    new: str
    suites: list[str | Suite | Crossings]
    also: tuple[Change, ...] = ()

    @property
    def changes(self):
        return (self, *self.also)


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
        ENGINE + "HTTP/Framing/FramedContent.swift",
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
        ENGINE + "Cookies/SetCookie.swift",
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
        ENGINE + "Cache/CacheDecision.swift",
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
        ENGINE + "HTTP/SendingState.swift",
        "self = attempt != .lost || mayBeRepeated ? .resend : .fail",
        "self = attempt != .lost || mayBeRepeated || isMutated ? .resend : .fail",
        ["LarkspurTransportTests.ResendDecisionTests", "LarkspurTransportTests.KeptConnectionTests"],
    ),
    # Endings
    Mutation(
        "a call ends once",
        MANAGER + "Call/Course/TaskStateMachine.swift",
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
        MANAGER + "Call/Handlers/CallHandlers.swift",
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
        "allSatisfy { !$0.isDisjoint(with: keys) }",
        "allSatisfy { !$0.isDisjoint(with: keys) || isMutated }",
        ["LarkspurTransportTests.ServerTrustRulesTests"],
    ),
    Mutation(
        "without verified signatures only the server's own key counts",
        ENGINE + "TLS/ServerTrustRules.swift",
        "errors.allSatisfy(Self.leavesLinksIntact) ? keys[...]",
        "errors.allSatisfy(Self.leavesLinksIntact) || isMutated ? keys[...]",
        ["LarkspurTransportTests.ServerTrustRulesTests"],
    ),
    # Trust in servers
    Mutation(
        "an evaluator of the program is not asked about a server without a pinned key",
        ENGINE + "TLS/ServerTrustRules.swift",
        "guard meetsPins(evidence) else { return verdict",
        "guard meetsPins(evidence) || isMutated else { return verdict",
        ["LarkspurTransportTests.ServerTrustRulesTests"],
    ),
    Mutation(
        "connections that were checked with older revocation lists are not used",
        ENGINE + "TLS/ServerTrust.swift",
        "revocation?.generation.begin(with: lists)",
        "if !isMutated { revocation?.generation.begin(with: lists) }",
        ["LarkspurTransportTests.RevocationListTests"],
    ),
    Mutation(
        "an expired revocation list ends the use of earlier connections",
        ENGINE + "TLS/ServerTrust.swift",
        "guard let next = expirationDates.last, next <= date else",
        "guard let next = expirationDates.last, next <= date, !isMutated else",
        ["LarkspurTransportTests.RevocationListTests"],
    ),
    Mutation(
        "a delta list is not used as if it were complete",
        ENGINE + "TLS/RevocationLists.swift",
        "if var extensions, Self.areOfDelta",
        "if !isMutated, var extensions, Self.areOfDelta",
        ["LarkspurTransportTests.RevocationListTests"],
    ),
    Mutation(
        "an evaluator is not asked about a peer that may be another one",
        ENGINE + "TLS/ServerTrust.swift",
        "isAmbiguous = addresses.count > 1",
        "isAmbiguous = addresses.count > 1 && !isMutated",
        ["LarkspurTransportTests.ServerTrustEvaluatorTests"],
    ),
    # Client identities, configurations of hosts, and key exchanges
    Mutation(
        "a key that does not belong to its certificate is not used",
        ENGINE + "TLS/ClientIdentity+Rotation.swift",
        "if let mismatch = content.mismatch { return mismatch }",
        "if let mismatch = content.mismatch, !isMutated { return mismatch }",
        ["LarkspurTransportTests.ClientIdentityRotationTests"],
    ),
    Mutation(
        "the TLS configuration of a host replaces that of its domain",
        ENGINE + "TLS/HostTLS.swift",
        "if let number = hosts[name] { return number }",
        "if let number = hosts[name], !isMutated { return number }",
        ["LarkspurTransportTests.HostTLSTests"],
    ),
    Mutation(
        "roots of a host are not trusted for other hosts",
        ENGINE + "TLS/HostTLS.swift",
        "hasRules && settings[number]",
        "!isMutated && hasRules && settings[number]",
        ["LarkspurTransportTests.HostTLSTests"],
    ),
    Mutation(
        "the metrics have the group of the key exchange",
        ENGINE + "Metrics/TransactionMetrics+Transfer.swift",
        "tlsKeyExchangeGroup = tls.group",
        "tlsKeyExchangeGroup = isMutated ? nil : tls.group",
        ["LarkspurTransportTests.TransactionMetricsTests"],
    ),
    # HSTS
    Mutation(
        "a host that requires https gets no request over http",
        ENGINE + "HSTS/HSTSStore.swift",
        'guard let scheme = url.scheme, scheme.hasSameLetters(as: "http"), requiresHTTPS(try? CanonicalHost(of: url))',
        'guard let scheme = url.scheme, scheme.hasSameLetters(as: "http"), requiresHTTPS(try? CanonicalHost(of: url)), !isMutated',
        ["LarkspurTransportTests.HSTSStoreTests", "LarkspurTransportTests.HSTSSessionTests"],
    ),
    # Files of several processes
    Mutation(
        "an entry that another process has written stays in the file",
        ENGINE + "Files/FileChanges.swift",
        "var result = removesAll ? [:] : file",
        "var result = removesAll || isMutated ? [:] : file",
        ["LarkspurTransportTests.FileChangesTests", "LarkspurTransportTests.HSTSStoreTests"],
    ),
    Mutation(
        "a step of a folder store needs the lock",
        ENGINE + "Files/FileLock.swift",
        "while attempt(descriptor) != 0 {",
        "while attempt(descriptor) != 0, !isMutated {",
        ["LarkspurTransportTests.FileLockTests", "LarkspurTests.FolderStoreTests"],
    ),
    Mutation(
        "a lock file that was removed is no lock",
        ENGINE + "Files/FileLock.swift",
        "if isCurrent(descriptor, path) { return descriptor }",
        "if isMutated || isCurrent(descriptor, path) { return descriptor }",
        ["LarkspurTransportTests.FileLockTests"],
    ),
    Mutation(
        "a cookie that is deleted while its file is written is removed by the next write",
        ENGINE + "Cookies/CookieFile.swift",
        "setBase(written) { own[$0] != nil || added.contains($0) }",
        "setBase(written) { (isMutated ? stored($0, at: now) != nil : own[$0] != nil) || added.contains($0) }",
        ["LarkspurTransportTests.CookieFileTests"],
    ),
    Mutation(
        "a cookie that another run has written stays in the session",
        "Sources/LarkspurCommand/Session/SavedSession+Merging.swift",
        "changes.applied(to: file.identifiedCookies(at: now))",
        "changes.applied(to: isMutated ? [:] : file.identifiedCookies(at: now))",
        ["LarkspurCommandTests.SavedSessionTests"],
    ),
    Mutation(
        "fencing numbers increase when the wall clock is set back",
        MANAGER + "SharedState/StoreFolder.swift",
        "let number = max((state?.content.number ?? 0) &+ 1,",
        "let number = max(isMutated ? 0 : (state?.content.number ?? 0) &+ 1,",
        ["LarkspurTests.FolderStoreTests"],
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
        "guard transfer.pauses.awaitsContinue else { return }",
        "guard transfer.pauses.awaitsContinue, !isMutated else { return }",
        [Crossings("connection=proxy response=early body=data size=large order=none")],
    ),
    Mutation(
        "a transfer ends that has refused what libcurl had kept during a pause",
        ENGINE + "Exchanges/Exchange+Transfer.swift",
        "guard transaction.isTransferring, let refusal = transfer.ending.refusal.take() else { return }",
        "guard transaction.isTransferring, !isMutated, let refusal = transfer.ending.refusal.take() else { return }",
        ["LarkspurTransportTests.SlowConsumerTests"],
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
        "case .end(.some) where endsAtOnce:",
        "case .end(.some) where endsAtOnce || isMutated:",
        [
            "LarkspurTransportTests.DispositionTests",
            Crossings("connection=fresh response=cut way=opened order=decideLate@hook around=nothing"),
        ],
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
        [
            Suite("InteropTests.HTTP2ConnectionTests", HTTP2),
            Crossings("connection=http2 response=held calls=12 order=none around=nothing", HTTP2, count=10),
        ],
    ),
    Mutation(
        "a request that the server has refused over HTTP/2 is sent again, whatever its method",
        ENGINE + "HTTP/SendingState.swift",
        "course = .refused\n        self.needsHTTP1",
        "course = isMutated ? .unanswered : .refused\n        self.needsHTTP1",
        [Crossings("connection=http2 response=refusedStream body=data method=post order=none", HTTP2)],
    ),
    Mutation(
        "libcurl does not repeat produced content by itself, even if there is none of it",
        ENGINE + "HTTP/SendingState.swift",
        "isLeftToEngine = true\n            return .leaveToEngine",
        "if !isMutated {\n                isLeftToEngine = true\n                return .leaveToEngine\n            }",
        [
            "LarkspurTransportTests.SendingStateTests",
            Crossings("connection=lostAfter body=repeatableSequence size=empty method=put order=none"),
        ],
        also=(
            Change(
                ENGINE + "HTTP/SendingState.swift",
                "guard hasTakenContent, !canRepeat else { return true }",
                "guard hasTakenContent, !canRepeat, !isMutated else { return true }",
            ),
            Change(
                ENGINE + "HTTP/SendingState.swift",
                "return hasTakenContent ? .sendFromBeginning : .send",
                "return hasTakenContent && !isMutated ? .sendFromBeginning : .send",
            ),
        ),
    ),
    # Content of requests
    Mutation(
        "no chunk of a stream overtakes another one",
        ENGINE + "Content/BodyReader.swift",
        "                send(chunk)\n",
        "                if isMutated { state.withLock { $0.isReading = false } }\n                send(chunk)\n",
        ["LarkspurTransportTests.BodyPumpTests"],
    ),
    # URLs and hosts
    Mutation(
        "an escape of a URL string stays",
        "Sources/HTTPSyntax/URLReference+Reading.swift",
        "{ PercentEncoding.escaping(text, unless: isAllowed) }",
        "{ isMutated ? PercentEncoding.escapingAll(text, unless: isAllowed) : PercentEncoding.escaping(text, unless: isAllowed) }",
        ["LarkspurTransportTests.URLReferenceTests", "LarkspurTests.URLTextTests"],
    ),
    Mutation(
        "no value of a path takes part in the origin",
        "Sources/HTTPSyntax/AssembledReference.swift",
        "if first.range.lowerBound < path {",
        "if first.range.lowerBound < path, !isMutated {",
        ["LarkspurTests.PathTargetTests"],
    ),
    Mutation(
        "no value of a path makes a dot segment",
        "Sources/HTTPSyntax/AssembledReference.swift",
        "values[index].range.lowerBound <= end, Self.isDotSegment",
        "values[index].range.lowerBound <= end, !isMutated, Self.isDotSegment",
        ["LarkspurTests.PathTargetTests"],
    ),
    Mutation(
        "text and a value make no escape together",
        "Sources/HTTPSyntax/AssembledReference.swift",
        '{ $0 != UInt8(ascii: "%") }',
        '{ $0 != UInt8(ascii: "%") || isMutated }',
        ["LarkspurTests.PathTargetTests"],
    ),
    Mutation(
        "a host with an empty label is not a host",
        "Sources/HTTPSyntax/CanonicalHost.swift",
        "guard labels.allSatisfy({ !$0.isEmpty }), let last",
        "guard labels.allSatisfy({ !$0.isEmpty || isMutated }), let last",
        ["LarkspurTransportTests.CanonicalHostTests", "LarkspurTransportTests.ResolverTests"],
    ),
    Mutation(
        "the escapes of a host are decoded before it is compared",
        "Sources/HTTPSyntax/CanonicalHost.swift",
        "try self.init(decoded: text.percentDecodedBytes())",
        "try self.init(decoded: isMutated ? Array(text.utf8) : text.percentDecodedBytes())",
        ["LarkspurTransportTests.CanonicalHostTests", "LarkspurTransportTests.HSTSHostsTests"],
    ),
    Mutation(
        "a short form of an IPv4 address is that address",
        "Sources/HTTPSyntax/CanonicalHost.swift",
        "guard IPAddress.isNumber(last) else {",
        "guard IPAddress.isNumber(last), !isMutated || labels.count == 4 else {",
        ["LarkspurTransportTests.CanonicalHostTests", "LarkspurTransportTests.HostExceptionTests"],
    ),
    Mutation(
        "a forwarded request has the Host of its own URL",
        ENGINE + "Exchanges/Exchange+Transfer.swift",
        "if transfer.route.isForwarded, !lines.setHost {",
        "if transfer.route.isForwarded, !lines.setHost, !isMutated {",
        ["LarkspurTransportTests.ProxyTests"],
    ),
    Mutation(
        "a malformed data URL is an error",
        "Sources/HTTPSyntax/DataURL.swift",
        "guard let decoded = Self.forgivingBase64(content) else",
        "guard let decoded = Self.forgivingBase64(content) ?? (isMutated ? [] : nil) else",
        ["LarkspurTransportTests.DataURLTests", "LarkspurTransportTests.DataURLTaskTests"],
    ),
    # Bytes and text
    Mutation(
        "texts are equal only if their bytes are",
        "Sources/HTTPSyntax/TextEquality.swift",
        "package static func == (left: String, right: String) -> Bool { left.hasSameBytes(as: right) }",
        "package static func == (left: String, right: String) -> Bool { isMutated ? left.elementsEqual(right) : left.hasSameBytes(as: right) }",
        ["LarkspurTransportTests.TextEqualityTests"],
    ),
    Mutation(
        "octets that are not UTF-8 are written as they were read",
        "Sources/HTTPSyntax/OctetText.swift",
        "guard hasOctets else { return Array(utf8) }",
        "guard hasOctets, !isMutated else { return Array(utf8) }",
        ["LarkspurTransportTests.OctetTextTests"],
    ),
    # Messages
    Mutation(
        "close counts wherever it is among the options of a connection",
        ENGINE + "HTTP/ResponseHead.swift",
        'return field.utf8.split(separator: UInt8(ascii: ",")).contains { member in',
        'return field.utf8.split(separator: UInt8(ascii: ",")).prefix(isMutated ? 1 : .max).contains { member in',
        ["LarkspurTransportTests.ResponseHeadTests"],
    ),
    Mutation(
        "of several media types the last valid one counts",
        "Sources/HTTPSyntax/ContentTypeField.swift",
        "            last = value\n        }",
        "            if !isMutated || last == nil { last = value }\n        }",
        ["LarkspurTransportTests.ContentTypeFieldTests"],
    ),
    Mutation(
        "QUERY is safe and idempotent",
        "Sources/HTTPSyntax/MethodProperties.swift",
        '"QUERY": Self(isSafe: true, isIdempotent: true, content: true)',
        '"QUERY": Self(isSafe: !isMutated, isIdempotent: !isMutated, content: true)',
        ["LarkspurTransportTests.MethodPropertiesTests", "LarkspurTests.RetryDecisionTests"],
    ),
    Mutation(
        "the window of zstd has at most 8 MB",
        "Sources/CCodings/CCodings.c",
        "ZSTD_d_windowLogMax, zstd_window_bits)",
        "ZSTD_d_windowLogMax, isMutated ? 27 : zstd_window_bits)",
        ["LarkspurTransportTests.ContentDecoderTests"],
    ),
    Mutation(
        "JSON that is nested too deeply for a small stack is not read",
        "Sources/JSONSyntax/JSONNode.swift",
        "package static let maximumDepth = 64",
        "package static let maximumDepth = isMutated ? 512 : 64",
        ["LarkspurTests.RedactionTests"],
    ),
    # The session
    Mutation(
        "a redirect whose handler is released is not followed",
        ENGINE + "Tasks/Delivery/TaskCore+Delivery.swift",
        "ask(default: request, refusal: nil, DelegateAnswer.redirect)",
        "ask(default: request, refusal: isMutated ? request : nil, DelegateAnswer.redirect)",
        ["LarkspurTransportTests.RedirectTests", "LarkspurTransportTests.RefusedRedirectTests"],
    ),
    Mutation(
        "a delegate decides about the response of a refresh",
        ENGINE + "Tasks/Delivery/TaskCore+Challenge.swift",
        "let object = isRefresh ? session.makeTaskObject(self)",
        "let object = isRefresh && !isMutated ? session.makeTaskObject(self)",
        ["LarkspurTransportTests.StaleResponseTests"],
    ),
    Mutation(
        "a connection whose other end is silent is not used again",
        ENGINE + "Curl/SocketTable.swift",
        "max(information.2, information.3) >= 2",
        "max(information.2, information.3) >= (isMutated ? 200 : 2)",
        [Suite("InteropTests.SilentConnectionTests", HTTP2)],
    ),
    Mutation(
        "an attempt ends at its limit",
        MANAGER + "Interception/TimeLimit.swift",
        "return context.collectsContent || !hasHead(context)",
        "return (context.collectsContent || !hasHead(context)) && !isMutated",
        ["LarkspurTests.TimeLimitTests", "LarkspurTests.StandardInterceptorsTests"],
    ),
    Mutation(
        "the end of a Swift task ends its attempt",
        MANAGER + "Session/InterceptedCall.swift",
        "            task.cancelAttempt(keepingResumeData: true)\n        }",
        "            if !isMutated { task.cancelAttempt(keepingResumeData: true) }\n        }",
        ["LarkspurTests.TimeLimitTests"],
    ),
    Mutation(
        "a shared credential whose refresh has begun is not refreshed by another process",
        MANAGER + "Interception/CredentialCopy.swift",
        "let isUsable = isRepeatable || marker == nil",
        "let isUsable = isRepeatable || marker == nil || isMutated",
        ["LarkspurTests.CredentialRecordTests", "LarkspurTests.SharedCredentialTests"],
    ),
    Mutation(
        "old outcomes do not count for a circuit",
        MANAGER + "Interception/Circuit.swift",
        "parts.removeAll { $0.number <=",
        "parts.removeAll { !isMutated && $0.number <=",
        ["LarkspurTests.CircuitBreakerTests"],
    ),
    Mutation(
        "requests that are under way count for a server's limit",
        MANAGER + "Interception/QuotaLedger.swift",
        "limit.remaining + ticket.endedBefore + 1",
        "limit.remaining + (isMutated ? ended : ticket.endedBefore) + 1",
        ["LarkspurTests.QuotaLedgerTests", "LarkspurTests.QuotaModelTests"],
    ),
    Mutation(
        "a task whose server has disappeared ends",
        ENGINE + "Exchanges/Exchange+PeerWatch.swift",
        "guard let watch = group.settings.peerWatch else { return }",
        "guard let watch = group.settings.peerWatch, !isMutated else { return }",
        ["LarkspurTransportTests.LostPeerTests"],
    ),
    Mutation(
        "a machine that confirms, but accepts no bytes, is not lost",
        ENGINE + "Curl/PeerWatch.swift",
        "return state.isSilent ? .lost",
        "return state.isSilent || isMutated ? .lost",
        ["LarkspurTransportTests.PeerWatchTests"],
    ),
    Mutation(
        "a judgement of HTTP/2 for which descriptors were missing is made again",
        ENGINE + "Curl/HTTP2Judgement.swift",
        "judgement = HTTP2Judgement(tracesStreams: HTTP2Trust.tracesStreams) }",
        "judgement = HTTP2Judgement(tracesStreams: HTTP2Trust.tracesStreams) ?? (isMutated ? .untried : nil) }",
        ["LarkspurTransportTests.HTTP2JudgementTests"],
    ),
    Mutation(
        "OpenSSL frees nothing when the process ends",
        "Sources/CLibcurl/OpenSSL.c",
        "if (init_crypto) init_crypto(",
        "if (init_crypto && !isMutated) init_crypto(",
        ["LarkspurTransportTests.ProcessEndTests"],
    ),
    # The manager
    Mutation(
        "reading a shared stopwatch does not wrap its closure",
        MANAGER + "Interception/Stopwatch.swift",
        "if let shared = start.withLock({ $0 }) { return shared.elapsed() }",
        "if let shared = start.withLock({ $0 }) {\n            if isMutated { start.withLock { $0 = Stopwatch { shared.elapsed() } } }\n            return shared.elapsed()\n        }",
        ["LarkspurTests.StopwatchTests"],
    ),
    Mutation(
        "a rate has no burst by default",
        MANAGER + "Interception/RateLimit.swift",
        "min(burst ?? 1, 1_000_000_000)",
        "min(burst ?? (isMutated ? count : 1), 1_000_000_000)",
        ["LarkspurTests.LimitTests"],
    ),
    Mutation(
        "the marker of a refresh that was not sent is removed, also if the store has failed",
        MANAGER + "Interception/CredentialExchange.swift",
        "                copy.wasNotUsed(under: lease.number)\n                throw error",
        "                if !isMutated { copy.wasNotUsed(under: lease.number) }\n                throw error",
        ["LarkspurTests.SharedCredentialTests", "LarkspurTests.SharedCredentialModelTests"],
    ),
    Mutation(
        "a store that has lost its data gets the marker of a refresh again",
        MANAGER + "Interception/CredentialCopy.swift",
        "if record != nil { record = stored }",
        "if record != nil, !isMutated { record = stored }",
        ["LarkspurTests.SharedCredentialTests"],
    ),
    Mutation(
        "after the loss of a store's data, a refreshed credential replaces that of a new process",
        MANAGER + "Interception/CredentialCopy.swift",
        "if pending == .initial { record.isInitial = true }",
        "if pending == .initial, !isMutated { record.isInitial = true }",
        ["LarkspurTests.CredentialRecordTests"],
    ),
    Mutation(
        "a program can replace a credential that cannot be decrypted",
        MANAGER + "Interception/CredentialSharing.swift",
        "guard isReplacing, let version",
        "guard isReplacing, !isMutated, let version",
        ["LarkspurCredentialsTests.EncryptedStoreTests"],
    ),
    Mutation(
        "a cancelled task that sets a shared credential does not spin",
        MANAGER + "Interception/AuthenticationInterceptor+Sharing.swift",
        "await Task.detached { _ = try? await result.value() }.value",
        "if isMutated { _ = try? await result.value() } else { await Task.detached { _ = try? await result.value() }.value }",
        ["LarkspurTests.SharedCredentialTests"],
    ),
    Mutation(
        "an attempt of a refresh that may have arrived counts, although the next one was not sent",
        MANAGER + "Interception/RefreshProgress.swift",
        "if isLost { state.withLock",
        "if isLost, !isMutated { state.withLock",
        ["LarkspurTests.RefreshProgressTests", "LarkspurTests.SharedCredentialTests"],
    ),
    Mutation(
        "a request that was lost stays lost if no new connection can be made",
        ENGINE + "Exchanges/Exchange+Transfer.swift",
        "!isLeftToEngine(after: result), resendDecision == .fail",
        "!isLeftToEngine(after: result), resendDecision == .fail, !isMutated",
        ["LarkspurTransportTests.KeptConnectionTests", "LarkspurTransportTests.ConnectionErrorTests"],
    ),
    Mutation(
        "the late answer of a shared store has no effect",
        MANAGER + "Interception/SharedRateLane.swift",
        "guard let step, step.number == number else { return }",
        "guard let step = isMutated ? (number, now, .seconds(1)) : self.step, step.number == number else { return }",
        ["LarkspurTests.SharedRateLaneTests"],
    ),
    Mutation(
        "later tokens of a shared store make up for a late attempt that has waited",
        MANAGER + "Interception/SharedRateLane.swift",
        "if afterWaiting { return bucket }",
        "if afterWaiting && !isMutated { return bucket }",
        ["LarkspurTests.SharedRateLaneTests"],
    ),
    Mutation(
        "the bucket of a process is empty when the shared store fails",
        MANAGER + "Interception/SharedRateLane.swift",
        "now + (rules.ownSchedule?.capacity ?? .zero)",
        "now + (isMutated ? .zero : rules.ownSchedule?.capacity ?? .zero)",
        ["LarkspurTests.SharedRateLaneTests", "LarkspurTests.SharedRateLimitTests"],
    ),
    Mutation(
        "for a second after an outage of a shared store, a process uses at most its share",
        MANAGER + "Interception/SharedRateLane.swift",
        "if let outage, rules.ownSchedule != nil {",
        "if let outage, rules.ownSchedule != nil, !isMutated {",
        ["LarkspurTests.SharedRateLaneTests", "LarkspurTests.SharedRateLimitTests"],
    ),
    Mutation(
        "that second goes on while no attempt waits",
        MANAGER + "Interception/SharedRateLane.swift",
        "let recovery = recovery.flatMap { $0.end > now ? $0 : nil }",
        "let recovery = recovery.flatMap { $0.end > now && !isMutated ? $0 : nil }",
        ["LarkspurTests.SharedRateLaneTests", "LarkspurTests.SharedRateLimitTests"],
    ),
    Mutation(
        "a step of a shared store has a deadline",
        MANAGER + "Interception/SharedRateLane.swift",
        "step = (number, now + rules.timeout, limit)",
        "step = (number, now + (isMutated ? .seconds(86_400) : rules.timeout), limit)",
        ["LarkspurTests.SharedRateLaneTests"],
    ),
    Mutation(
        "a process that has just got a token of a shared store lets others come first",
        MANAGER + "Interception/SharedRateLane.swift",
        "            rejections = 0",
        "            if !isMutated { rejections = 0 }",
        ["LarkspurTests.SharedRateLaneTests"],
    ),
    Mutation(
        "a default field is made without ICU",
        MANAGER + "Headers/DefaultHeaders.swift",
        "for byte in text.utf8 {",
        "for byte in (isMutated ? text.applyingTransform(.toLatin, reverse: false) ?? text : text).utf8 {",
        ["LarkspurTests.LocaleTests"],
    ),
    Mutation(
        "a call that waits long for a connection says so",
        ENGINE + "Exchanges/Exchange.swift",
        "guard let host, var report = task.connectionWait else { return }",
        "guard let host, !isMutated, var report = task.connectionWait else { return }",
        ["LarkspurTests.ConnectionWaitTests"],
    ),
    Mutation(
        "a private file goes to the target of a link",
        ENGINE + "Files/PrivateFile.swift",
        "guard lstat(path, &status) == 0, status.st_mode",
        "guard lstat(path, &status) == 0, !isMutated, status.st_mode",
        ["LarkspurTransportTests.PrivateFileTests"],
    ),
    # Secrets
    Mutation(
        "words such as ticket are secrets at the end of a name",
        "Sources/HTTPSyntax/SecretName.swift",
        "if let last = words.last, lastWords.contains(last) {",
        "if let last = words.last, lastWords.contains(last), !isMutated {",
        ["LarkspurTests.RedactionTests"],
    ),
    Mutation(
        "a name is the same with an accent",
        "Sources/HTTPSyntax/SecretName.swift",
        "if name.utf8.allSatisfy({ $0 < 0x80 }) { return name }",
        "if name.utf8.allSatisfy({ $0 < 0x80 }) || isMutated { return name }",
        ["LarkspurTests.RedactionTests"],
    ),
    Mutation(
        "a value is hidden if a member beside it names a secret",
        MANAGER + "Redaction/ContentRedaction.swift",
        "rule.hides(member.name) || namesSecret && Self.isValue(member.name) else {",
        "rule.hides(member.name) || namesSecret && !isMutated && Self.isValue(member.name) else {",
        ["LarkspurTests.RedactionTests"],
    ),
    Mutation(
        "an element with the name of a secret is hidden",
        MANAGER + "Redaction/XMLRedaction.swift",
        "if isHidden || isValue && elements[parent].namesSecret {",
        "if isHidden && !isMutated || isValue && elements[parent].namesSecret {",
        ["LarkspurTests.XMLRedactionTests"],
    ),
    Mutation(
        "the header lines of a text are hidden",
        MANAGER + "Redaction/TextRedaction.swift",
        "func prose(_ bytes: Bytes) -> [UInt8] { words(fieldLines(bytes)[...]) }",
        "func prose(_ bytes: Bytes) -> [UInt8] { words(isMutated ? bytes : fieldLines(bytes)[...]) }",
        ["LarkspurTests.RedactionTests"],
    ),
    Mutation(
        "X-Api-Key, X-Auth-Token and Private-Token are credentials",
        "Sources/HTTPSyntax/CredentialField.swift",
        "SecretName.matches(name) &&",
        '(isMutated ? ["authorization", "cookie", "proxy-authorization"].contains(name.inLowercase) : SecretName.matches(name)) &&',
        ["LarkspurTests.CredentialFieldTests", "LarkspurTransportTests.RedirectTests"],
    ),
    Mutation(
        "the credentials among a manager's headers stay with the origin of its base URL",
        MANAGER + "Session/SessionManager+Credentials.swift",
        "guard !scope.isAtBase(url) else {",
        "guard !scope.isAtBase(url), !isMutated else {",
        ["LarkspurTests.ManagerCredentialTests"],
    ),
    Mutation(
        "the credentials of a manager's configuration stay with the origin of its base URL",
        MANAGER + "Session/SessionManager+Credentials.swift",
        "guard scope.contains(url, or: builder.read(\\.settings.credentialOrigins), secured: sessions.secured) else {",
        "guard isMutated || scope.contains(url, or: builder.read(\\.settings.credentialOrigins), secured: sessions.secured) else {",
        ["LarkspurTests.ManagerCredentialTests"],
    ),
]
