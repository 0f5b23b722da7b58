/// Closures that take part in what a session does, set through ``SessionManager/hooks`` for all tasks of a session
/// manager, or for one task by the parameter `hooks` of its call or by ``SessionTask/hooks``. For a hook that is set in
/// both places, that of the task is called.
///
/// Hooks that must answer run on the session manager's serial hook queue, and the transport waits for them without
/// blocking a thread of its own. Those that only listen run there too, in the order of the events.
public struct SessionHooks: Sendable {
    /// Makes hooks that do nothing.
    public init() {}

    /// Decides about a redirect: the request to follow it with, changed if need be, or nil to take the redirect as the
    /// response. Default: redirects are followed.
    public var willPerformHTTPRedirection: (@Sendable (SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?

    /// Answers the challenge of a connection (NTLM and Negotiate) before ``didReceiveChallenge`` is asked, which gets
    /// what this leaves to default handling.
    ///
    /// It is asked for the session, so that there is no task to name: after `fail` the task ends as after `cancel`,
    /// without that error. With the transport `.foundation` on Linux it is never called. Default:
    /// ``ChallengeAnswer/performDefaultHandling``.
    public var didReceiveSessionChallenge: (@Sendable (URLAuthenticationChallenge) -> ChallengeAnswer)?

    /// Answers an authentication challenge. Default: ``ChallengeAnswer/performDefaultHandling``.
    public var didReceiveChallenge: (@Sendable (SessionTask, URLAuthenticationChallenge) -> ChallengeAnswer)?

    /// Makes the body stream of a streamed upload, also when it has to be sent again. Nil falls back to the stream that
    /// the task was made with. It should do nothing but make the stream: with the transport `.foundation` on Linux it
    /// runs in the middle of the session's work.
    public var needNewBodyStream: (@Sendable (SessionTask) -> InputStream?)?

    /// Decides whether a response is worth its content: `.allow`, `.cancel`, or `.download` to have it written to a
    /// file. Default: `.allow`.
    ///
    /// With the transport `.foundation` on Linux, `.download` is taken for `.allow`.
    public var didReceiveResponse: (@Sendable (DataTask, URLResponse) -> URLSession.ResponseDisposition)?

    /// Hears that a data task has become a download, because ``didReceiveResponse`` has said so.
    ///
    /// The data task ends with the error `becameDownload`. The download task runs or is suspended as that was, has its
    /// ``SessionTask/taskIdentifier``, and ends by itself: ``didFinishDownloading`` chooses where its file goes, and
    /// ``SessionTask/didCompleteNotification`` tells where it is.
    public var didBecomeDownload: (@Sendable (DataTask, DownloadTask) -> Void)?

    /// Hears of each piece of content as it arrives; it is collected all the same, unless the task was made to hand it
    /// on. A slow hook holds back the transfer.
    public var didReceiveData: (@Sendable (DataTask, Data) -> Void)?

    /// Decides whether a data task's response is stored in the session's cache, and what of it: the response, perhaps
    /// with other content, or nil for none. The task does not wait for it. Default: as the cache proposes. With the
    /// transport `.foundation` on Linux it is not called, as nothing is stored.
    public var willCacheResponse: (@Sendable (DataTask, CachedURLResponse) -> CachedURLResponse?)?

    /// Chooses where a downloaded file goes, before the task's own destination is asked. Nil leaves the choice to that.
    /// Runs on the processing queue.
    public var didFinishDownloading: (@Sendable (DownloadTask, URL, URLResponse?) -> URL?)?

    /// Hears of sent content: bytes now, bytes in all, bytes expected or −1.
    public var didSendBodyData: (@Sendable (SessionTask, Int64, Int64, Int64) -> Void)?

    /// Hears of bytes written to a download's file: bytes now, bytes in all, bytes expected or −1.
    public var didWriteData: (@Sendable (DownloadTask, Int64, Int64, Int64) -> Void)?

    /// Hears that a download goes on: from which byte, and how many there are in all or −1.
    public var didResumeDownload: (@Sendable (DownloadTask, Int64, Int64) -> Void)?

    /// Hears when the stages of a task were reached and what its requests took and moved, before ``didComplete``.
    ///
    /// The timeline's ``Timeline/transactions`` are empty where the transport does not tell, as `.foundation` does not.
    public var didCollectMetrics: (@Sendable (SessionTask, Timeline) -> Void)?

    /// Hears that the transport has finished with a task, with the transport's error, if any; the response is yet to be
    /// validated and serialized.
    public var didComplete: (@Sendable (SessionTask, LarkspurError?) -> Void)?

    /// Hears that the session has become invalid, before ``SessionManager/didInvalidateNotification`` is posted.
    public var didBecomeInvalid: (@Sendable ((any Error)?) -> Void)?
}
