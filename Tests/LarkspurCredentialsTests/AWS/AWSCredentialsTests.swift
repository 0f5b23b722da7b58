import TestSupport
import Testing

@testable import LarkspurCredentials

@Suite("Sources of AWS credentials")
struct AWSCredentialsTests {
    let folder = TemporaryFolder()

    private let text = """
        # A comment
        [default]
        aws_access_key_id = AKID1
        AWS_SECRET_ACCESS_KEY=s3cret=/+1
          indented = passed over
        [ work ] ; a comment
        aws_access_key_id=AKID2
        aws_secret_access_key = s3cret2
        ; another comment
        aws_session_token = t0ken==
        no setting
        [empty]
        aws_access_key_id =
        [half]
        aws_access_key_id = AKID3
        [default]
        region = eu-central-1\r
        """

    @Test("The profiles of a file have their own credentials")
    func profiles() throws {
        let file = AWSCredentialsFile(text)
        #expect(
            try file.credentials(of: "default")
                == AWSCredentials(accessKeyID: "AKID1", secretAccessKey: "s3cret=/+1")
        )
        #expect(
            try file.credentials(of: "work")
                == AWSCredentials(accessKeyID: "AKID2", secretAccessKey: "s3cret2", sessionToken: "t0ken==")
        )
        for (profile, defect) in [
            ("other", AWSCredentialsFile.Defect.missingProfile("other")),
            ("empty", .missingKey("aws_access_key_id", profile: "empty")),
            ("half", .missingKey("aws_secret_access_key", profile: "half")),
        ] {
            #expect(throws: defect) { try file.credentials(of: profile) }
        }
        #expect(throws: AWSCredentialsFile.Defect.self) { try AWSCredentialsFile("a=b").credentials(of: "default") }
    }

    @Test("The environment has precedence over the file, and names the file and its profile")
    func standard() async throws {
        let home = folder.url.appendingPathComponent(".aws", isDirectory: true)
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: home.appendingPathComponent("credentials"))
        let other = try folder.file("other", Data("[default]\naws_access_key_id=A\naws_secret_access_key=B".utf8))
        let keys = ["AWS_ACCESS_KEY_ID": "AKID0", "AWS_SECRET_ACCESS_KEY": "s3cret0"]
        for (variables, id, token) in [
            ([:], "AKID1", nil), (["AWS_PROFILE": "work"], "AKID2", "t0ken=="),
            (["AWS_SHARED_CREDENTIALS_FILE": other.path], "A", nil), (keys, "AKID0", nil),
            (["AWS_ACCESS_KEY_ID": "", "AWS_PROFILE": ""], "AKID1", nil),
            (keys.merging(["AWS_SESSION_TOKEN": "t", "AWS_PROFILE": "work"]) { $1 }, "AKID0", "t"),
        ] as [([String: String], String, String?)] {
            let environment = variables.merging(["HOME": folder.url.path]) { $1 }
            let credentials = try await AWSCredentialSource.standard { environment }.credentials()
            #expect(credentials.accessKeyID == id && credentials.sessionToken == token)
        }
        let own = try await AWSCredentialSource.file(other, profile: "default").credentials()
        #expect(own == AWSCredentials(accessKeyID: "A", secretAccessKey: "B"))
    }

    @Test("An error says what is missing and where, without the content of the file")
    func errors() async throws {
        let file = try folder.file("credentials", Data(text.utf8))
        for (source, words) in [
            (AWSCredentialSource.environment { [:] }, ["AWS_ACCESS_KEY_ID"]),
            (.environment { ["AWS_ACCESS_KEY_ID": "AKID"] }, ["AWS_SECRET_ACCESS_KEY"]),
            (.file(file, profile: "half"), [file.path, "aws_secret_access_key", "half"]),
            (.file(file, profile: "no\nne"), [file.path, "profile"]),
            (.file(folder.url.appendingPathComponent("none")), ["none"]),
            (.file(try folder.file("large", Data(count: 1 << 20 + 1))), ["large", "1 MiB"]),
            (.file(folder.url), ["file"]),
            (.file(URL(fileURLWithPath: "/dev/zero")), ["/dev/zero"]),
        ] {
            do {
                _ = try await source.credentials()
                Issue.record("There are credentials.")
            } catch let error as LarkspurError {
                #expect(error.code == .credentialRefreshFailed)
                for word in words { #expect(error.message.contains(word), "\(error.message)") }
                #expect(!error.message.contains("AKID3") && !error.message.contains("\n"))
            }
        }
    }
}
