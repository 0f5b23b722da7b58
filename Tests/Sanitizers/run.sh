#!/usr/bin/env bash
# Runs the tests that use the engine under the thread sanitizer and the address sanitizer, and fails if one of them has anything to say.
#
#     Tests/Sanitizers/run.sh [thread | address]
#
# What is built stays in .build/thread and .build/address. The tests with nginx are among them; see Tests/Interop/servers.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."

export TSAN_OPTIONS=exitcode=66 ASAN_OPTIONS=exitcode=66:detect_leaks=0
# Everything takes many times as long here, so that fewer tests run at a time. Before Swift 6.3 this has no effect.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6
# The sanitizers' shadows take more addresses than any limit leaves.
ulimit -v unlimited

thread_sanitizer() {
    local mutex=$PWD/.build/thread/mutex.o
    mkdir -p .build/thread
    clang -O1 -c Tests/Sanitizers/mutex.c -o "$mutex"
    probe thread "$mutex"
    expect 0 contention
    expect 66 race
    build_and_test thread -Xlinker "$mutex"
}

address_sanitizer() {
    probe address
    expect 66 overflow
    build_and_test address
}

# Builds the program that shows whether the sanitizer finds what it should, and nothing else.
probe() {
    local sanitizer=$1
    shift
    mkdir -p ".build/$sanitizer"
    probe=.build/$sanitizer/probe
    swiftc -swift-version 6 -parse-as-library -sanitize="$sanitizer" Tests/Sanitizers/Probe.swift "$@" -o "$probe"
}

expect() {
    local status=0 log
    log=$("$probe" "$2" 2>&1) || status=$?
    if ((status == $1)); then return; fi
    printf '%s\n' "$log" "The sanitizer's probe \"$2\" ended with $status instead of $1."
    return 1
}

build_and_test() {
    local options=(--sanitize="$1" --scratch-path ".build/$1" "${@:2}")
    swift build --build-tests "${options[@]}"
    swift test --skip-build "${options[@]}" --filter LarkspurTransportTests
    # Without FoundationNetworking's own transport, which is not what is examined.
    local sessions='Alarm|Download|Invalidation|ManyTasks|QuickSerialization|Queue|RedirectAndChallenge|ResumingDownload|Connect'
    sessions+='|ManagerCredential|ResumableUpload|UntrustedURL|Upload|VerifiedDownload|WebSocket|WebSocketInterception|WebSocketReconnection'
    local calls='Async|AwaitedEnd|Open|ProducedBody|CallTimeout|Chain|ContentSequence|EventSource|Executor|Pages|ProgressUpdates|SequenceEnd|Streaming'
    calls+='|TransferCall|Seam|CallAttempt|CallCourse|CallHandlers|CallModel|CallPlan|TaskDelegate'
    local interceptors='AuthenticationInterceptor|BetweenAttempts|CircuitBreaker|InterceptedCall|Limit|OAuth2Authenticator'
    interceptors+='|ServerRateLimits|StandardInterceptors|TimeLimit|RequestCoalescing|RequestCompression|RetryBudget|RetryOutage|RetryPolicy|SharedRateLane|SharedRateLimit'
    interceptors+='|SharedCredential(Model)?|CredentialRecord|RefreshProgress|FolderStore(Model)?|StoreRecord'
    local observers='CallEvent|HARRecorder|Observer|WebSocketEvent'
    LARKSPUR_TEST_TRANSPORT=curl swift test --skip-build "${options[@]}" \
        --filter "LarkspurCredentialsTests|LarkspurTests\.($sessions|$calls|$interceptors|$observers)Tests"
    # One at a time: its synchronous tests hold the threads of the pool for seconds here, in which no other test gets its turn.
    LARKSPUR_TEST_TRANSPORT=curl swift test --skip-build "${options[@]}" --no-parallel --filter LarkspurTestingTests
    LARKSPUR_INTEROP_REQUIRED=1 Tests/Interop/servers.sh swift test --skip-build "${options[@]}" --filter InteropTests \
        --skip MultipartInteropTests.large
}

case ${1-all} in
thread) thread_sanitizer ;;
address) address_sanitizer ;;
all)
    thread_sanitizer
    address_sanitizer
    ;;
*)
    echo "usage: $0 [thread | address]" >&2
    exit 64
    ;;
esac
