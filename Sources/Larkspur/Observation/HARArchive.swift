import HTTPSyntax

/// The format of an HTTP archive, version 1.2.
struct HARArchive: Encodable, Sendable {
    struct Log: Encodable, Sendable {
        var version = "1.2"
        var creator = Creator()
        var pages: [String] = []
        var entries: [HAREntry]
        var comment: String?
    }

    struct Creator: Encodable, Sendable {
        var name = "Larkspur"
        var version = LarkspurVersion.current
    }

    var log: Log
}

/// A request and its response. If a size is unknown, it is −1. If a phase did not happen, its time is −1.
struct HAREntry: Encodable, Sendable {
    struct NamedValue: Encodable, Sendable {
        var name: String
        var value: String
    }

    struct PostData: Encodable, Sendable {
        var mimeType: String
        /// The content. The format allows either this text or parameters.
        var text: String
        var comment: String?
    }

    struct Request: Encodable, Sendable {
        var method: String
        var url: String
        var httpVersion: String
        var cookies: [NamedValue] = []
        var headers: [NamedValue]
        var queryString: [NamedValue]
        var postData: PostData?
        var headersSize: Int64
        var bodySize: Int64
    }

    struct Content: Encodable, Sendable {
        var size: Int64
        var mimeType: String
        var text: String?
        var encoding: String?
        var comment: String?
    }

    struct Response: Encodable, Sendable {
        var status: Int
        var statusText: String
        var httpVersion: String
        var cookies: [NamedValue] = []
        var headers: [NamedValue]
        var content: Content
        var redirectURL: String
        var headersSize: Int64
        var bodySize: Int64
        var comment: String?
    }

    struct Timings: Encodable, Sendable {
        var blocked = -1.0
        var dns = -1.0
        var connect = -1.0
        var ssl = -1.0
        var send = 0.0
        var wait = 0.0
        var receive = 0.0

        /// The sum of the times. The time for TLS is part of the time for the connection, as the format requires.
        var total: Double { [blocked, dns, connect, send, wait, receive].reduce(0) { $0 + max(0, $1) } }
    }

    struct Cache: Encodable, Sendable {
        var comment: String?
    }

    var startedDateTime: String
    var time: Double
    var request: Request
    var response: Response
    var cache = Cache()
    var timings: Timings
    var serverIPAddress: String?
    var connection: String?
    var comment: String?
}

extension HAREntry {
    /// The size in memory, in bytes: the size of the texts that may be long, and 1 KiB for the rest.
    var byteCount: Int {
        func size(_ values: [NamedValue]) -> Int {
            // Two strings take 32 bytes in addition to their text.
            values.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
        }
        let texts = [
            request.url, request.postData?.text, response.content.text, response.redirectURL, response.content.mimeType,
            comment,
        ]
        return texts.reduce(1024) { $0 + ($1?.utf8.count ?? 0) } + size(request.headers) + size(request.queryString)
            + size(response.headers)
    }
}
