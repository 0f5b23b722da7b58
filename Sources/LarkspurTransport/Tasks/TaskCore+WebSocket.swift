#if canImport(FoundationNetworking)
extension TaskCore: HandshakeTask {
    var currentRequest: URLRequest? { withStorage { $0.record.currentRequest } }

    func post(_ order: WebSocketChannel.Order) { session.loop.post(.webSocket(self, order)) }
}
#endif
