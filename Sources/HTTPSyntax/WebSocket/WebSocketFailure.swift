/// A violation by the other side, or an exceeded limit. It ends the WebSocket connection.
package struct WebSocketFailure: Error, Equatable, Sendable {
    /// The code of the close frame that reports the failure to the other side.
    package let closeCode: UInt16
    /// The description of the failure: the received bytes or values, and the allowed ones.
    package let sentence: String

    package init(closeCode: UInt16, sentence: String) {
        self.closeCode = closeCode
        self.sentence = sentence
    }

    static func protocolError(_ sentence: String) -> Self {
        Self(closeCode: WebSocketCloseCode.protocolError, sentence: sentence)
    }

    static func invalidText(_ sentence: String) -> Self {
        Self(closeCode: WebSocketCloseCode.invalidFramePayloadData, sentence: sentence)
    }

    package static func tooBig(_ sentence: String) -> Self {
        Self(closeCode: WebSocketCloseCode.messageTooBig, sentence: sentence)
    }
}

/// An argument of the caller that is not allowed in any frame or handshake.
package struct WebSocketArgumentError: Error, Equatable, Sendable {
    /// The argument, and the values that are allowed.
    package let sentence: String
}

/// The codes of close frames (RFC 6455, section 7.4).
package enum WebSocketCloseCode {
    package static let normalClosure: UInt16 = 1000
    package static let goingAway: UInt16 = 1001
    package static let protocolError: UInt16 = 1002
    package static let unsupportedData: UInt16 = 1003
    package static let invalidFramePayloadData: UInt16 = 1007
    package static let policyViolation: UInt16 = 1008
    package static let messageTooBig: UInt16 = 1009
    package static let missingExtension: UInt16 = 1010
    package static let internalError: UInt16 = 1011

    /// Whether a close frame may have a code.
    ///
    /// Allowed are the registered codes (RFC 6455, section 11.7), the codes for libraries (3000 to 3999), and the codes
    /// for programs (4000 to 4999). The registered codes 1005, 1006 and 1015 mean that there was no close frame, and
    /// are never sent.
    package static func isAllowedInFrame(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
