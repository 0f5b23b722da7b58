import Synchronization

/// Closures that decide about redirects, challenges, responses and downloads, and that observe a session.
///
/// ``SessionManager/hooks`` sets them for all tasks of a session manager. The option ``CallOptions/hooks`` of a call,
/// or ``SessionTask/hooks``, sets them for one task. If a hook is set in both places, the hook of the task is called.
///
/// Hooks run on the session manager's serial hook queue, except where a hook says otherwise. The transport waits for
/// the value that a hook returns, and does not block its own threads meanwhile. Hooks that return no value run in the
/// order of the events.
public struct SessionHooks: Sendable {
    /// Creates empty hooks: no closure is set.
    public init() {}

    /// The hook that decides about a redirect. It returns the request that follows the redirect, changed if necessary,
    /// or nil to take the redirect as the response. Default: redirects are followed.
    public var willPerformHTTPRedirection: (@Sendable (SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?

    /// The hook that handles the challenge of a connection (NTLM and Negotiate). If it returns
    /// ``ChallengeDisposition/performDefaultHandling``, ``challengeDisposition`` is called next.
    ///
    /// The hook is called for the session and gets no task. Therefore `fail` has the effect of `cancel`: no task gets
    /// the error. With the transport `.foundation` on Linux the hook is never called. Default:
    /// ``ChallengeDisposition/performDefaultHandling``.
    public var sessionChallengeDisposition: (@Sendable (URLAuthenticationChallenge) -> ChallengeDisposition)?

    /// The hook that handles an authentication challenge. Default: ``ChallengeDisposition/performDefaultHandling``.
    public var challengeDisposition: (@Sendable (SessionTask, URLAuthenticationChallenge) -> ChallengeDisposition)?

    /// The hook that creates the body stream of a streamed upload. It is called again if the content has to be sent
    /// again. If the hook returns nil, the stream that the task was created with is sent. The hook should only create
    /// the stream: with the transport `.foundation` on Linux it runs on the session's work queue.
    public var needNewBodyStream: (@Sendable (SessionTask) -> InputStream?)?

    /// The hook that decides about the content of a response. It returns `.allow` to receive the content, `.cancel` to
    /// cancel the task, or `.download` to write the content to a file. Default: `.allow`.
    ///
    /// With the transport `.foundation` on Linux, `.download` has the effect of `.allow`.
    public var responseDisposition: (@Sendable (DataTask, URLResponse) -> URLSession.ResponseDisposition)?

    /// The hook that is called with each interim response. Such a response has a status of 100 to 199, except 101, and
    /// comes before the final response.
    ///
    /// A server sends `103 Early Hints` with `Link` fields for the resources that a program may already load (RFC
    /// 8297), and `100 Continue` or `102 Processing`. If it sends more than 100 interim responses to one request, the
    /// call ends with the error `malformedResponse`. Only a session that the manager has created itself, with the
    /// transport `.curl`, reports interim responses. With the transport `.foundation` the hook is never called: on
    /// Linux that transport reports interim responses of data tasks to ``responseDisposition``.
    public var didReceiveInterimResponse: (@Sendable (SessionTask, HTTPURLResponse) -> Void)?

    /// The hook that is called when a data task has become a download, because ``responseDisposition`` returned
    /// `.download`.
    ///
    /// The data task ends with the error `becameDownload`. The download task takes over the data task's state (running
    /// or suspended) and ``SessionTask/taskIdentifier``, and ends separately. ``downloadDestination`` chooses the
    /// location of the file, and ``SessionTask/didCompleteNotification`` reports this location.
    public var didBecomeDownload: (@Sendable (DataTask, DownloadTask) -> Void)?

    /// The hook that is called with each chunk of content as it arrives. The task still collects the content, unless it
    /// is a streaming task. A slow hook slows the transfer down.
    public var didReceiveData: (@Sendable (DataTask, Data) -> Void)?

    /// The hook that decides about storing a data task's response in the session's cache. It returns the response to
    /// store, possibly with changed content, or nil to store none. The task does not wait for the hook. Default: the
    /// response is stored as proposed. With the transport `.foundation` on Linux the hook is not called, because that
    /// transport stores no responses.
    public var willCacheResponse: (@Sendable (DataTask, CachedURLResponse) -> CachedURLResponse?)?

    /// The hook that chooses the location of a downloaded file. It gets the temporary location and the response. It
    /// takes precedence over the task's own destination. If it returns nil, the task's own destination applies. The
    /// hook runs on the processing queue.
    public var downloadDestination: (@Sendable (DownloadTask, URL, URLResponse?) -> URL?)?

    /// The hook that is called when content was sent, with three numbers of bytes: sent now, sent in total, and
    /// expected in total (−1 if unknown).
    public var didSendBodyData:
        (
            @Sendable (
                SessionTask, _ bytesSent: Int64, _ totalBytesSent: Int64, _ totalBytesExpectedToSend: Int64
            ) -> Void
        )?

    /// The hook that is called when content was written to a download's file, with three numbers of bytes: written now,
    /// written in total, and expected in total (−1 if unknown).
    public var didWriteData:
        (
            @Sendable (
                DownloadTask, _ bytesWritten: Int64, _ totalBytesWritten: Int64, _ totalBytesExpectedToWrite: Int64
            ) -> Void
        )?

    /// The hook that is called when a download resumes, with the offset of its first byte and the expected total number
    /// of bytes (−1 if unknown).
    public var didResumeDownload: (@Sendable (DownloadTask, _ offset: Int64, _ expectedTotalBytes: Int64) -> Void)?

    /// The hook that is called before ``didComplete``, with the times of the task's stages, and with the durations and
    /// byte counts of its requests.
    ///
    /// The timeline's ``Timeline/transactions`` are empty if the transport does not report them. The transport
    /// `.foundation` does not.
    public var didCollectMetrics: (@Sendable (SessionTask, Timeline) -> Void)?

    /// The hook that is called when the transport has finished with a task, with the error of the transfer, if any. The
    /// response has not been validated and serialized yet.
    public var didComplete: (@Sendable (SessionTask, LarkspurError?) -> Void)?

    /// The hook that is called when the session has become invalid, before ``SessionManager/didInvalidateNotification``
    /// is posted.
    public var didBecomeInvalid: (@Sendable ((any Error)?) -> Void)?
}

/// The hooks of a session manager and the queue that they run on, shared with the delegates of its sessions.
final class SessionHooksStore: Sendable {
    let queue = DispatchQueue(label: "larkspur.hooks")
    /// The queue of all threads that change the session manager in place.
    let writers: WriterQueue
    private let published: Published<SessionHooks>
    /// Whether the session manager has had hooks. If it has had none, reading this flag avoids taking the lock.
    private let isUsed = Atomic(false)

    init() {
        writers = WriterQueue()
        published = Published(SessionHooks(), writers: writers)
    }

    var hooks: SessionHooks {
        get { published.value }
        set {
            isUsed.store(true, ordering: .releasing)
            published.value = newValue
        }
        _modify {
            isUsed.store(true, ordering: .releasing)
            yield &published.value
        }
    }

    /// Queues a call of a task's hook on the hook queue, if the hook is set.
    func call<Hook: Sendable>(
        _ hook: any KeyPath<SessionHooks, Hook?> & Sendable,
        of task: SessionTask,
        _ body: @escaping @Sendable (Hook) -> Void
    ) {
        guard let hook = self.hook(hook, of: task) else { return }
        queue.async { body(hook) }
    }

    /// Returns the hook that is called for a task: the task's own, or else the session manager's. The hook is looked up
    /// each time, so that a task needs no copy of the manager's hooks, and a change applies immediately.
    func hook<Hook: Sendable>(_ hook: any KeyPath<SessionHooks, Hook?> & Sendable, of task: SessionTask) -> Hook? {
        task.hook(hook) ?? self.hook(hook)
    }

    /// Returns a hook of the session manager without the cost of copying all hooks.
    func hook<Hook: Sendable>(_ hook: any KeyPath<SessionHooks, Hook?> & Sendable) -> Hook? {
        isUsed.load(ordering: .acquiring) ? published.read(hook) : nil
    }
}
