#if canImport(FoundationNetworking)
import Foundation

@testable import LarkspurTransport

/// Certificates and keys that the command openssl has made for tests.
enum TLSFixture {
    /// A certificate with an elliptic key.
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBhDCCASugAwIBAgIULcubxrGvG2zCLbRnwEK+aRgw3akwCgYIKoZIzj0EAwIw
        FzEVMBMGA1UEAwwMZml4dHVyZS50ZXN0MCAXDTI2MTEyMTE2Mzg0MloYDzIxMjYx
        MDI4MTYzODQyWjAXMRUwEwYDVQQDDAxmaXh0dXJlLnRlc3QwWTATBgcqhkjOPQIB
        BggqhkjOPQMBBwNCAARgyQHnL3jN+QnjqO/zKojTVW7VWG52FNQc8+ImsIJ1cmnQ
        W5xgXPmk1ygtGfcBBKbIusVFAx1Znjgn2OP15q4Jo1MwUTAdBgNVHQ4EFgQUnWgM
        oo+DxecW6CXesMt2ni/wF/8wHwYDVR0jBBgwFoAUnWgMoo+DxecW6CXesMt2ni/w
        F/8wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiBsrgKMlQoh5Ulg
        VO1oEezd5gdBfO9ic4ELAnl3hkvosgIgY6IxLKFL7zy6m4XfGbq+TIiURkBijFE7
        CLkqTNAEpFI=
        -----END CERTIFICATE-----
        """

    /// What `openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | base64` says of its key.
    static let pin = "rQLwORZM2ja9tYPwgMCjeLjbS0v3On/pG+zIq8Q8QrY="

    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYMkB5y94zfkJ46jv8yqI01Vu1Vhu
        dhTUHPPiJrCCdXJp0FucYFz5pNcoLRn3AQSmyLrFRQMdWZ44J9jj9eauCQ==
        -----END PUBLIC KEY-----
        """

    static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKLZt53QsJ1yotxtX
        wbuz8NDQx5aEPE1/PttbMOdzUzyhRANCAARgyQHnL3jN+QnjqO/zKojTVW7VWG52
        FNQc8+ImsIJ1cmnQW5xgXPmk1ygtGfcBBKbIusVFAx1Znjgn2OP15q4J
        -----END PRIVATE KEY-----
        """

    /// Another certificate.
    static let otherCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBgTCCASegAwIBAgIUOhW/ba856yO3907xHDR+VT/wkbUwCgYIKoZIzj0EAwIw
        FTETMBEGA1UEAwwKb3RoZXIudGVzdDAgFw0yNjExMjgyMDA0MjdaGA8yMTI2MTEw
        NDIwMDQyN1owFTETMBEGA1UEAwwKb3RoZXIudGVzdDBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABAbMLNRqJoEZli7E02y1t8kNP1IbDJ4CtJwjRVaNhCyzmiXSLpQ7
        3Z+htBNMOzvhc2+5F+7QgBwHzn9nANWtEVajUzBRMB0GA1UdDgQWBBTAPHNjSmc1
        Qfm+NrnIyVGQJwSVdTAfBgNVHSMEGDAWgBTAPHNjSmc1Qfm+NrnIyVGQJwSVdTAP
        BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQC3W4zyFDLVE0moG2yo
        kxJFcae/R+tdALFpjnERfLyTNQIgfi7zt44W6AFLmgCLzbvNi0lBSk6JUMbP1DXR
        w0ZIXUY=
        -----END CERTIFICATE-----
        """

    /// The key of the other certificate.
    static let otherPrivateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwLvGbpqesmkKEzZi
        C7rw5iL/Z6GRZQ0n51/ZHfP+KNGhRANCAAQGzCzUaiaBGZYuxNNstbfJDT9SGwye
        ArScI0VWjYQss5ol0i6UO92fobQTTDs74XNvuRfu0IAcB85/ZwDVrRFW
        -----END PRIVATE KEY-----
        """

    /// With the passphrase "secret".
    static let encryptedKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhoh7bhL2XXdwICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEHBlviSCKcoq0wiH7D97JhgEgZBJ
        AUnv+BSJiYFTQOEijc+MKiudJgxKtYcfd/GGtkU1MReYZGpGtsmSfUVxQgs1Ncue
        Eon6U4A88MRTgbywuG0l0ee+RmI819pMrzdcadR4nEmdw/Twjokn/g+RpHLdVUDs
        /C45CMoXBAOuLKhXbEFmVeK+HleojMoxueI3mAVZlE4WvigcuyI6qnNFSxY7Wmo=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// The same key, encrypted in the way that OpenSSL had before PKCS #8.
    static let traditionallyEncryptedKey = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-256-CBC,50B666396B221149F0F912C2055957A4

        B1YTbSxRpYzDr7oQNgj4F20tToKNUrndN6DnpoNJdVAr+owR/5HGQ19mHZII8k0m
        8iqweay+AqNbsQY7T9tsZwBoAkuPzfvZWfOwLLbMjH7Tl0wRbiM1BCUG7q8qzzx1
        B2gsieM08Sc2dYziH/7n1yDB4IEWob1axS40ezTqwZM=
        -----END EC PRIVATE KEY-----
        """

    static let rsaCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIDCTCCAfGgAwIBAgIUQV6Xg3q764FSg93k9LE6gesjNUgwDQYJKoZIhvcNAQEL
        BQAwEzERMA8GA1UEAwwIcnNhLnRlc3QwIBcNMjYxMTIxMTYzODQyWhgPMjEyNjEw
        MjgxNjM4NDJaMBMxETAPBgNVBAMMCHJzYS50ZXN0MIIBIjANBgkqhkiG9w0BAQEF
        AAOCAQ8AMIIBCgKCAQEAqSERfjE3WCavuXCDx5Pi15Zh9X8TuTAMxDyMYLqhEKMF
        lJbq1QnpVcLfwLGGdSyuy+/ryanymyT9vyZdUFbiiGERL3nsK+VkW+K02+luTUxw
        UJy7iqZgqQ+AlehyqKsIabOaDmWZlo60TTyFO9iAKXIEiqDjdLkUjXCBiObXOqOU
        bCzRi55V4mZts/rI2vZqNg3cohN94ItTqpsAx5zxn6qra4ViQ2XcEeneENx87Ii9
        SNPFsvgly9IZg/ux7bbdwvzKt1KYvSU0z+ve3lWOT9zdQB0EOOObCTEe1gvbfcWN
        5PyRIgVixKPCNES/peBiCiDU0MUkQJKAz95lkZRzAwIDAQABo1MwUTAdBgNVHQ4E
        FgQU8b1ZgsYlUnz1mKeAjVVpwsNwZxIwHwYDVR0jBBgwFoAU8b1ZgsYlUnz1mKeA
        jVVpwsNwZxIwDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG9w0BAQsFAAOCAQEALxY4
        wZgscHbTzVqYhJ8kePUvacv8/AMfrS1fBep0ZRCn3gYofkmTW4YF44QXbyKn3es0
        Q0PGtQ9ZFWNp01SW/egFo8/qIVzj84VmN20eQ4qwo6JzkmCpoTPQJyseb5TwmvMt
        2UIDro7o9393ZAx50IRHnawvPTOBpdrnUPnPCZ5FJSt4AdaMbYD+m+DqKheuQ7DG
        4s32ElDYIIfFGVel/imsIqeZeqLuJ9Z0SkRa0m23WKkwHk5unfgRW6bmUiqrQihl
        eALRTy1EJxkZOxuVKtrrgNUa7L13KXfhvkNWj0K5eFGdTijp9N0mHHCje00OfrK7
        EOQ5MD/rrEuejWpy2w==
        -----END CERTIFICATE-----
        """

    static let rsaPin = "xqDFoXHXh8jP+wM80yIs6PsaRmHbGGM8xdiuhC4RRf4="

    /// Without the algorithm (RFC 8017, appendix A.1.1).
    static let bareRSAKey = """
        -----BEGIN RSA PUBLIC KEY-----
        MIIBCgKCAQEAqSERfjE3WCavuXCDx5Pi15Zh9X8TuTAMxDyMYLqhEKMFlJbq1Qnp
        VcLfwLGGdSyuy+/ryanymyT9vyZdUFbiiGERL3nsK+VkW+K02+luTUxwUJy7iqZg
        qQ+AlehyqKsIabOaDmWZlo60TTyFO9iAKXIEiqDjdLkUjXCBiObXOqOUbCzRi55V
        4mZts/rI2vZqNg3cohN94ItTqpsAx5zxn6qra4ViQ2XcEeneENx87Ii9SNPFsvgl
        y9IZg/ux7bbdwvzKt1KYvSU0z+ve3lWOT9zdQB0EOOObCTEe1gvbfcWN5PyRIgVi
        xKPCNES/peBiCiDU0MUkQJKAz95lkZRzAwIDAQAB
        -----END RSA PUBLIC KEY-----
        """

    /// A certificate with the common name 127.0.0.1, and without a subjectAltName.
    static let addressAsCommonName = """
        -----BEGIN CERTIFICATE-----
        MIIBJDCBywIUK8pHw3QRIkW31XS92nUuHMGXGmYwCgYIKoZIzj0EAwIwFDESMBAG
        A1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyODIzMzUxOFoYDzIxMjYxMTA0MjMzNTE4
        WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
        AATXD3WYjOEc8aJT0XhZrwEEHQHQBu6AmyJ4iU+u5r8OQsa+kRsplcxpggGFIXRD
        dhDcm5nDKBzIRsLnVxkYTK4rMAoGCCqGSM49BAMCA0gAMEUCIC3Xm02Gi0mByWKU
        iEI0sM6rfLIR2GXlmG/4DuTEconWAiEA8cmMJenOxzwR8s8/vhoX4EpVN3x3W4rr
        sMK49VJPR5E=
        -----END CERTIFICATE-----
        """

    /// A certificate with the common name localhost, whose subjectAltName has only the address 10.0.0.1.
    static let otherAddress = """
        -----BEGIN CERTIFICATE-----
        MIIBXjCCAQSgAwIBAgIULKrzFMc8fFbyUmDZhAT0PcgLm48wCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODIzMzUxOFoYDzIxMjYxMTA0
        MjMzNTE4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAATXD3WYjOEc8aJT0XhZrwEEHQHQBu6AmyJ4iU+u5r8OQsa+kRsplcxp
        ggGFIXRDdhDcm5nDKBzIRsLnVxkYTK4rozIwMDAPBgNVHREECDAGhwQKAAABMB0G
        A1UdDgQWBBTXKIFGDdlE/ioD/ImvsSm7D30sfjAKBggqhkjOPQQDAgNIADBFAiEA
        xpgBihFWjNWqldxfMFQ9fBPj6xTrG32AGtraarFWBZUCIHM2U9vWxGuzImUmnVhf
        0h+I+Pd2MsSThbnD39tDN4sf
        -----END CERTIFICATE-----
        """

    /// The key of these two certificates.
    static let keyOfCommonNames = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgy6PSZ7FlS+YQ+iwP
        ezLXnN7ue4N7zjEQiw6HG2WlSDGhRANCAATXD3WYjOEc8aJT0XhZrwEEHQHQBu6A
        myJ4iU+u5r8OQsa+kRsplcxpggGFIXRDdhDcm5nDKBzIRsLnVxkYTK4r
        -----END PRIVATE KEY-----
        """

    static func der(_ pem: String) -> Data {
        PEMBlock.blocks(of: Data(pem.utf8)).first?.content ?? Data()
    }
}
#endif
