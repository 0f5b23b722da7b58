#if canImport(FoundationNetworking)
import HTTPSyntax

extension StubURLSession {
    /// The reply that a scripted task receives.
    public struct Reply: Sendable {
        /// The status code; nil if no response arrives.
        public var status: Int?
        /// The fields of the response.
        public var headers: [String: String]
        /// The content, as the chunks in which it is delivered.
        public var chunks: [Data]
        /// The end of the task.
        public var end: End
        /// The time before the reply begins, on the clock of the session. Default: zero.
        public var delay = Duration.zero
        /// The time before each chunk, on the clock of the session. Default: zero.
        public var chunkDelay = Duration.zero
        /// The gate on which the reply waits after ``delay``; nil for none. Default: nil.
        public var gate: LoopbackServer.Gate?

        /// The end of a scripted task.
        public enum End: Sendable {
            /// The task succeeds.
            case success
            /// The task fails with an error of the transport.
            case failure(any Error)
            /// The task does not end until it is cancelled.
            case never
        }

        /// Returns a reply with a response.
        /// - Parameters:
        ///   - status: The status code. Default: 200.
        ///   - headers: The fields. Default: none.
        ///   - body: The content. It is delivered as one chunk. Default: none.
        public static func respond(status: Int = 200, headers: [String: String] = [:], body: Data = Data()) -> Reply {
            Reply(status: status, headers: headers, chunks: body.isEmpty ? [] : [body], end: .success)
        }

        /// Returns a reply with a response without content.
        public static func status(_ status: Int, headers: [String: String] = [:]) -> Reply {
            respond(status: status, headers: headers)
        }

        /// Returns a reply with text in UTF-8, of the type `text/plain`.
        public static func text(_ text: String, status: Int = 200) -> Reply {
            data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
        }

        /// Returns a reply with a JSON document. The document is not checked.
        public static func json(_ document: String, status: Int = 200) -> Reply {
            data(Data(document.utf8), contentType: "application/json", status: status)
        }

        /// Returns a reply with a value as JSON.
        /// - Throws: The error of `JSONEncoder`.
        public static func json(encoding value: some Encodable, status: Int = 200) throws -> Reply {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return data(try encoder.encode(value), contentType: "application/json", status: status)
        }

        /// Returns a reply with data of a media type, and a `Content-Length`.
        public static func data(
            _ data: Data,
            contentType: String = "application/octet-stream",
            status: Int = 200
        ) -> Reply {
            respond(
                status: status,
                headers: ["Content-Type": contentType, "Content-Length": String(data.count)],
                body: data
            )
        }

        /// Returns a redirect. The location may be relative. Sessions of a ``StubTransport`` follow the redirect; other
        /// sessions deliver it as the response.
        public static func redirect(to location: String, status: Int = 302) -> Reply {
            respond(status: status, headers: ["Location": location])
        }

        /// Returns a reply that ends with an error of the transport, without a response.
        public static func fail(_ error: any Error) -> Reply {
            Reply(status: nil, headers: [:], chunks: [], end: .failure(error))
        }

        /// Returns a reply that ends with an error of the transport, without a response.
        public static func fail(_ code: URLError.Code) -> Reply { fail(URLError(code)) }

        /// A reply without a response and without an end. The task waits until it is cancelled.
        public static let hang = Reply(status: nil, headers: [:], chunks: [], end: .never)

        /// Returns this reply with an additional delay, on the clock of the session.
        public func delayed(by duration: Duration) -> Reply {
            var reply = self
            reply.delay += duration
            return reply
        }

        /// Returns this reply, which begins only when a gate is open.
        public func held(until gate: LoopbackServer.Gate) -> Reply {
            var reply = self
            reply.gate = gate
            return reply
        }

        /// Returns this reply with its content in chunks.
        /// - Parameters:
        ///   - size: The size of each chunk in bytes, at least 1. The last chunk may be smaller.
        ///   - delay: The time before each chunk, on the clock of the session. Default: zero.
        public func inChunks(of size: Int, delay: Duration = .zero) -> Reply {
            var reply = self
            let content = Data(chunks.joined())
            let size = max(1, size)
            reply.chunks = stride(from: 0, to: content.count, by: size).map { start in
                content.subdata(in: start..<start + min(size, content.count - start))
            }
            reply.chunkDelay = delay
            return reply
        }

        /// Returns this reply with an error after a part of its content, as when the connection is lost.
        /// - Parameters:
        ///   - bytes: The number of bytes of the content that arrive.
        ///   - error: The error. Default: `URLError(.networkConnectionLost)`.
        public func cut(
            after bytes: Int,
            error: any Error = URLError(.networkConnectionLost)
        ) -> Reply {
            var reply = self
            var room = max(0, bytes)
            reply.chunks = chunks.compactMap { chunk in
                let part = Data(chunk.prefix(room))
                room -= part.count
                return part.isEmpty ? nil : part
            }
            reply.end = .failure(error)
            return reply
        }

        /// The steps of the reply.
        var steps: [StubTaskCore.Step] {
            var steps: [StubTaskCore.Step] = []
            if delay > .zero { steps.append(.pause(delay)) }
            if let gate { steps.append(.gate(gate)) }
            if let status { steps.append(.response(status: status, headers: headers)) }
            for chunk in chunks {
                if chunkDelay > .zero { steps.append(.pause(chunkDelay)) }
                steps.append(.chunk(chunk))
            }
            switch end {
            case .success: steps.append(.end(nil))
            case .failure(let error): steps.append(.end(error))
            case .never: break
            }
            return steps
        }
    }
}
#endif
