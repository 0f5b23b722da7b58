#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

extension TransactionTests {
    /// A point in the life of a transaction.
    enum Point: CaseIterable, Sendable {
        case waiting, lookingUp, resolving, loading, challengedByProtocol, redirectedByProtocol
        case awaitingResponse, delivering, buffering, bufferingRefusal, discardingForSame, discardingForStored
        case asking, askingAfterFailure, draining, drainingAfterFailure, replaying, ended

        func make() throws -> Transaction {
            let url = try #require(URL(string: "http://host.invalid/"))
            var transaction = Transaction(url: url)
            let question = Transaction.Question.redirect(to: URLRequest(url: url), keepsContent: true)
            switch self {
            case .waiting: break
            case .lookingUp: transaction.beginLookUp()
            case .resolving: transaction.beginResolving()
            case .loading: transaction.beginLoading()
            case .challengedByProtocol:
                transaction.beginLoading()
                transaction.receive(Self.challenge(""))
            case .redirectedByProtocol:
                transaction.beginLoading()
                transaction.receiveRedirect(to: URLRequest(url: url))
            case .awaitingResponse: transaction.beginTransfer()
            case .delivering: transaction.begin(.deliver)
            case .buffering: transaction.begin(.ask(question))
            case .bufferingRefusal: transaction.begin(.awaitAnswer(Self.refusal))
            case .discardingForSame: transaction.begin(.sendAgain(readsContent: true))
            case .discardingForStored: transaction.begin(.replay(readsContent: true))
            case .asking:
                transaction.begin(.ask(question))
                _ = transaction.endTransfer(Transaction.TransferEnd())
            case .askingAfterFailure:
                transaction.begin(.ask(question))
                _ = transaction.endTransfer(Transaction.TransferEnd(failure: URLError(.networkConnectionLost)))
            case .draining:
                transaction.begin(.deliver)
                _ = transaction.endTransfer(Transaction.TransferEnd())
            case .drainingAfterFailure:
                transaction.begin(.deliver)
                _ = transaction.endTransfer(Transaction.TransferEnd(failure: URLError(.networkConnectionLost)))
            case .replaying: transaction.beginReplay()
            case .ended: _ = transaction.end()
            }
            return transaction
        }

        static let refusal = Transaction.Refusal(
            recipient: .origin,
            head: ResponseHead(
                status: 401,
                version: "HTTP/1.1",
                fields: [:],
                setCookies: [],
                challenges: ["NTLM"],
                proxyChallenges: [],
                location: nil,
                framing: FramingFields()
            )
        )

        static func challenge(_ realm: String) -> URLAuthenticationChallenge {
            let space = URLProtectionSpace(
                host: "host.invalid",
                port: 80,
                protocol: "http",
                realm: realm,
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic
            )
            return URLAuthenticationChallenge(
                protectionSpace: space,
                proposedCredential: nil,
                previousFailureCount: 0,
                failureResponse: nil,
                error: nil,
                sender: ChallengeSender()
            )
        }
    }
}

extension Transaction {
    /// Begins a transfer whose response has a consequence.
    mutating func begin(_ consequence: Consequence) {
        beginTransfer()
        _ = beginResponse()
        _ = receive(consequence)
    }
}

extension Transaction.Phase {
    var name: String {
        switch self {
        case .waiting: "waiting"
        case .lookingUp: "lookingUp"
        case .resolving: "resolving"
        case .awaitingResponse: "awaitingResponse"
        case .receiving(.deliver): "receiving(deliver)"
        case .receiving(.buffer): "receiving(buffer)"
        case .receiving(.bufferUnlessAnswered): "receiving(bufferUnlessAnswered)"
        case .receiving(.discard(let successor)): "receiving(discard \(successor))"
        case .asking(_, nil): "asking"
        case .asking: "asking after a failure"
        case .draining(nil): "draining"
        case .draining: "draining after a failure"
        case .replaying: "replaying"
        case .loading(nil): "loading"
        case .loading: "loading, challenged"
        case .ended: "ended"
        }
    }
}

extension Transaction.Action {
    var name: String {
        switch self {
        case .deliver: "deliver"
        case .deliverBuffered: "deliverBuffered"
        case .dropBuffered: "dropBuffered"
        case .ask: "ask"
        case .settle: "settle"
        case .stop: "stop"
        case .pause: "pause"
        case .goOn: "goOn"
        case .drain: "drain"
        case .enqueue: "enqueue"
        case .leaveQueue: "leaveQueue"
        case .send(let repetition): "send \(repetition)"
        case .follow: "follow"
        case .replay: "replay"
        case .fail(let error): "fail \(error.code.name)"
        }
    }
}

extension Transaction.ContentStep {
    var name: String {
        switch self {
        case .deliver: "deliver"
        case .buffer: "buffer"
        case .discard: "discard"
        case .refuse: "refuse"
        case .settle: "settle"
        }
    }
}

extension URLError.Code {
    var name: String {
        switch self {
        case .networkConnectionLost: "networkConnectionLost"
        case .badServerResponse: "badServerResponse"
        case .timedOut: "timedOut"
        case .cannotOpenFile: "cannotOpenFile"
        case .cancelled: "cancelled"
        default: "\(rawValue)"
        }
    }
}
#endif
