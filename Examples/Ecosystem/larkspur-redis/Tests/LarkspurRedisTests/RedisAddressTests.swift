import Larkspur
import Testing

@testable import LarkspurRedis

@Suite("URLs of stores", .timeLimit(.minutes(1)))
struct RedisAddressTests {
    @Test(
        "A URL names a host, a port, a user, a password and a database",
        arguments: [
            ("redis://cache.example.com", "cache.example.com", 6379, nil, nil, 0),
            ("REDIS://cache/", "cache", 6379, nil, nil, 0),
            ("valkey://127.0.0.1:7000/3", "127.0.0.1", 7000, nil, nil, 3),
            ("redis://[::1]", "::1", 6379, nil, nil, 0),
            ("redis://[fe80::1%25eth0]:1/15", "fe80::1%eth0", 1, nil, nil, 15),
            ("redis://:secret@cache", "cache", 6379, nil, "secret", 0),
            ("redis://larkspur:se%3Acr%2Fet@cache:65535", "cache", 65535, "larkspur", "se:cr/et", 0),
            ("redis://user:a@b:c@cache", "cache", 6379, "user", "a@b:c", 0),
        ] as [(String, String, Int32, String?, String?, Int)]
    )
    func hosts(url: String, host: String, port: Int32, user: String?, password: String?, database: Int) throws {
        let address = try RedisAddress(url)
        #expect(address.server == .host(host, port: port))
        #expect(address.login == password.map { .init(user: user, password: $0) })
        #expect(address.database == database)
    }

    @Test(
        "A URL names a socket",
        arguments: [
            ("unix:///run/redis.sock", "/run/redis.sock", nil, 0),
            ("redis+unix:///run/my%20redis?db=2", "/run/my redis", nil, 2),
            ("unix://:secret@/run/a@b", "/run/a@b", "secret", 0),
            ("unix:///run/a@b", "/run/a@b", nil, 0),
        ] as [(String, String, String?, Int)]
    )
    func sockets(url: String, path: String, password: String?, database: Int) throws {
        let address = try RedisAddress(url)
        #expect(address.server == .socket(path: path))
        #expect(address.login?.password == password)
        #expect(address.database == database)
    }

    @Test(
        "A mistake in a URL is named, without the URL",
        arguments: [
            ("", "does not begin with"), ("cache:6379", "does not begin with"),
            ("http://s3cret", "does not begin with"),
            ("redis://", "no host"), ("redis://:s3cret@", "no host"), ("redis://:s3cret@:1", "no host"),
            ("redis://s3cret@cache", "needs a password"), ("redis://:@cache", "password is empty"),
            ("redis://:s3cret%@cache", "%25"), ("redis://:s3cret%zz@cache", "%25"),
            ("redis://cache:s3cret", "port"), ("redis://cache:0", "port"), ("redis://cache:65536", "port"),
            ("redis://cache:", "port"), ("redis://cache:+1", "port"), ("redis://:s3/cret@cache", "no host"),
            ("redis://cache/s3cret", "database"), ("redis://cache/-1", "database"), ("redis://cache/1/2", "database"),
            ("redis://:s3cret?@cache", "%3F"), ("redis://:s3cret#@cache", "%23"), ("redis://[::1", "]"),
            ("redis://[::1]x", "IPv6"), ("redis://ca%00che", "no host"),
            ("unix://s3cret", "path"), ("unix:///", "path"), ("unix:///a%00b", "path"),
            ("unix:///a?password=s3cret", "db="),
            ("unix:///a?db=s3cret", "database"), ("unix:///\(String(repeating: "s3cret", count: 18))", "too long"),
        ]
    )
    func mistakes(url: String, reason: String) {
        let error = #expect(throws: RedisStoreError.self) { try RedisAddress(url) }
        #expect(error?.code == .invalidURL)
        #expect(error?.description.contains(reason) == true)
        #expect(error?.description.contains("s3") == false)
    }

    @Test("TLS is refused by name", arguments: ["rediss://:s3cret@cache", "valkeys://cache"])
    func tls(url: String) {
        let error = #expect(throws: RedisStoreError.self) { try RedisStore(url) }
        #expect(error?.code == .unsupported)
        #expect(error?.description.hasPrefix(url.prefix { $0 != ":" }) == true)
        #expect(error?.description.contains("hiredis \(RedisAddress.hiredisVersion)") == true)
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test("The description of a store has the server and the database, and no password")
    func descriptions() throws {
        #expect(try RedisStore("redis://user:s3cret@cache/2").description == "Redis at cache:6379, database 2")
        #expect(try RedisStore("redis://[::1]:1").description == "Redis at [::1]:1")
        let url = try #require(URL(string: "unix://:s3cret@/run/redis"))
        #expect(try RedisStore(url).description == "Redis at /run/redis")
        var text = ""
        dump(try RedisStore(url), to: &text)
        #expect(text.contains("Redis at /run/redis") && !text.contains("s3cret"))
    }
}
