internal import Foundation

/// Routes that open WebSocket connections.
extension BuiltInRoutes {
    mutating func addWebSockets() {
        add(
            "/websocket/echo",
            WebSocketRoute(protocols: nil) { socket in
                for message in socket { try socket.send(message) }
            }
        )
        add(
            "/websocket/close/{code}",
            WebSocketRoute(protocols: nil) { socket in
                try socket.close(
                    code: UInt16(clamping: try socket.request.number("code", 1_000...4_999)),
                    reason: socket.request.query("reason") ?? ""
                )
                for _ in socket {}
            }
        )
        for fault in LoopbackServer.WebSocketFault.allCases { add(fault.path, WebSocketRoute(fault: fault)) }
    }
}
