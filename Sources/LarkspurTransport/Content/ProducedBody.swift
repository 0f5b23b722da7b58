/// Content of a request that a program produces while the content is sent.
package struct ProducedBody: Sendable {
    /// The length in bytes; nil if it is not known in advance.
    package let length: Int64?
    /// Whether trailers may follow the content. If so, the content is sent over HTTP/1.1 in chunks, because libcurl
    /// sends no trailers over HTTP/2 or HTTP/3.
    package let hasTrailers: Bool
    /// Whether the response is read while the content is sent. If so, the content does not wait for a 100 response.
    package let isTwoWay: Bool
    /// Returns whether the content can be produced. False if an earlier production has consumed it.
    package let canBegin: @Sendable () -> Bool
    /// Creates the channel of a production.
    package let makeChannel: @Sendable () -> BodyChannel

    package init(
        length: Int64?,
        hasTrailers: Bool,
        isTwoWay: Bool,
        canBegin: @escaping @Sendable () -> Bool,
        makeChannel: @escaping @Sendable () -> BodyChannel
    ) {
        self.length = length
        self.hasTrailers = hasTrailers
        self.isTwoWay = isTwoWay
        self.canBegin = canBegin
        self.makeChannel = makeChannel
    }
}
