import Foundation
import Testing

/// A message of RFC 9421 with a signature, and the signature base.
struct MessageVector: Sendable, CustomTestStringConvertible {
    enum Key: Sendable {
        case rsaPSS, rsa, ecdsa, ed25519, secret
    }

    /// The section of the RFC.
    let section: String
    let label: String
    let key: Key
    let base: String
    /// The request to which the response responds; nil for the signature of a request.
    var request: String?
    let message: String

    var testDescription: String { "Section \(section)" }
}

/// The messages of appendix B of RFC 9421.
extension MessageVector {
    static let ofAppendix = [
        MessageVector(
            section: "B.2.1",
            label: "sig-b21",
            key: .rsaPSS,
            base: """
                "@signature-params": ();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd"
                """,
            message: """
                POST /foo?param=Value&Pet=dog HTTP/1.1
                Host: example.com
                Date: Tue, 20 Apr 2021 02:07:55 GMT
                Content-Type: application/json
                Content-Digest: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRw\
                EmTHWXvJwew==:
                Content-Length: 18
                Signature-Input: sig-b21=();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yem\
                d"
                Signature: sig-b21=:d2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it+\
                +wgGxbtRxf8Udx7zFZsckzXaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2Vj\
                BqJzsPLMIQKhO4DGezXehhWwE56YCE+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6\
                d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdxO5Nyt8C8ssinQ98Xw9Q==:

                {"hello": "world"}
                """
        ),
        MessageVector(
            section: "B.2.2",
            label: "sig-b22",
            key: .rsaPSS,
            base: """
                "@authority": example.com
                "content-digest": sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLv\
                RwEmTHWXvJwew==:
                "@query-param";name="Pet": dog
                "@signature-params": ("@authority" "content-digest" "@query-param";name="Pet");created=1618884473;ke\
                yid="test-key-rsa-pss";tag="header-example"
                """,
            message: """
                POST /foo?param=Value&Pet=dog HTTP/1.1
                Host: example.com
                Date: Tue, 20 Apr 2021 02:07:55 GMT
                Content-Type: application/json
                Content-Digest: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRw\
                EmTHWXvJwew==:
                Content-Length: 18
                Signature-Input: sig-b22=("@authority" "content-digest" "@query-param";name="Pet");created=161888447\
                3;keyid="test-key-rsa-pss";tag="header-example"
                Signature: sig-b22=:LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDf\
                KtjvuJyE5qH7KT8UCMkSowOB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYh\
                pTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsU\
                RIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0rQl3/XaVe4bXTugEjHSw==:

                {"hello": "world"}
                """
        ),
        MessageVector(
            section: "B.2.3",
            label: "sig-b23",
            key: .rsaPSS,
            base: """
                "date": Tue, 20 Apr 2021 02:07:55 GMT
                "@method": POST
                "@path": /foo
                "@query": ?param=Value&Pet=dog
                "@authority": example.com
                "content-type": application/json
                "content-digest": sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLv\
                RwEmTHWXvJwew==:
                "content-length": 18
                "@signature-params": ("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest"\
                 "content-length");created=1618884473;keyid="test-key-rsa-pss"
                """,
            message: """
                POST /foo?param=Value&Pet=dog HTTP/1.1
                Host: example.com
                Date: Tue, 20 Apr 2021 02:07:55 GMT
                Content-Type: application/json
                Content-Digest: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRw\
                EmTHWXvJwew==:
                Content-Length: 18
                Signature-Input: sig-b23=("date" "@method" "@path" "@query" "@authority" "content-type" "content-dig\
                est" "content-length");created=1618884473;keyid="test-key-rsa-pss"
                Signature: sig-b23=:bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeG\
                t683+qRpRRU5p2voTp768ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFk\
                h/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61\
                ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==:

                {"hello": "world"}
                """
        ),
        MessageVector(
            section: "B.2.4",
            label: "sig-b24",
            key: .ecdsa,
            base: """
                "@status": 200
                "content-type": application/json
                "content-digest": sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJ\
                uahq4l5aGgfLQ==:
                "content-length": 23
                "@signature-params": ("@status" "content-type" "content-digest" "content-length");created=1618884473\
                ;keyid="test-key-ecc-p256"
                """,
            message: """
                HTTP/1.1 200 OK
                Date: Tue, 20 Apr 2021 02:07:56 GMT
                Content-Type: application/json
                Content-Digest: sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJua\
                hq4l5aGgfLQ==:
                Content-Length: 23
                Signature-Input: sig-b24=("@status" "content-type" "content-digest" "content-length");created=161888\
                4473;keyid="test-key-ecc-p256"
                Signature: sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+3\
                2oiasw==:

                {"message": "good dog"}
                """
        ),
        MessageVector(
            section: "B.2.5",
            label: "sig-b25",
            key: .secret,
            base: """
                "date": Tue, 20 Apr 2021 02:07:55 GMT
                "@authority": example.com
                "content-type": application/json
                "@signature-params": ("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secr\
                et"
                """,
            message: """
                POST /foo?param=Value&Pet=dog HTTP/1.1
                Host: example.com
                Date: Tue, 20 Apr 2021 02:07:55 GMT
                Content-Type: application/json
                Content-Digest: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRw\
                EmTHWXvJwew==:
                Content-Length: 18
                Signature-Input: sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-\
                secret"
                Signature: sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:

                {"hello": "world"}
                """
        ),
        MessageVector(
            section: "B.2.6",
            label: "sig-b26",
            key: .ed25519,
            base: """
                "date": Tue, 20 Apr 2021 02:07:55 GMT
                "@method": POST
                "@path": /foo
                "@authority": example.com
                "content-type": application/json
                "content-length": 18
                "@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created\
                =1618884473;keyid="test-key-ed25519"
                """,
            message: """
                POST /foo?param=Value&Pet=dog HTTP/1.1
                Host: example.com
                Date: Tue, 20 Apr 2021 02:07:55 GMT
                Content-Type: application/json
                Content-Digest: sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRw\
                EmTHWXvJwew==:
                Content-Length: 18
                Signature-Input: sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");cre\
                ated=1618884473;keyid="test-key-ed25519"
                Signature: sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WP\
                pBKRCw==:

                {"hello": "world"}
                """
        ),
        MessageVector(
            section: "B.3",
            label: "ttrp",
            key: .ecdsa,
            base: """
                "@path": /foo
                "@query": ?param=Value&Pet=dog
                "@method": POST
                "@authority": service.internal.example
                "client-cert": :MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJMZXQncyBBdXRoZW50aWNhdGUxGzAZ\
                BgNVBAMMEkxBIEludGVybWVkaWF0ZSBDQTAeFw0yMDAxMTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFkw\
                EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YnXXfaUgmnMtOXU/IncWalRhebrXmckC8vdgJ1p5Be5F/3YC8OthxM4+k1M6aEAEFcG\
                zkJiNy6J84y7uzo9M6NyMHAwCQYDVR0TBAIwADAfBgNVHSMEGDAWgBRm3WjLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8BAf8EBAMC\
                BsAwEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0RAQH/BBMwEYEPYmRjQGV4YW1wbGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHd\
                a/r1vaL6G3VliL4/Di6YK0Q6bMjeSkC3dFCOOB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBVoU4hBVZ1yhk=:
                "@signature-params": ("@path" "@query" "@method" "@authority" "client-cert");created=1618884473;keyi\
                d="test-key-ecc-p256"
                """,
            message: """
                POST /foo?param=Value&Pet=dog HTTP/1.1
                Host: service.internal.example
                Date: Tue, 20 Apr 2021 02:07:55 GMT
                Content-Type: application/json
                Content-Length: 18
                Client-Cert: :MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJMZXQncyBBdXRoZW50aWNhdGUxGzAZBg\
                NVBAMMEkxBIEludGVybWVkaWF0ZSBDQTAeFw0yMDAxMTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFkwEw\
                YHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YnXXfaUgmnMtOXU/IncWalRhebrXmckC8vdgJ1p5Be5F/3YC8OthxM4+k1M6aEAEFcGzk\
                JiNy6J84y7uzo9M6NyMHAwCQYDVR0TBAIwADAfBgNVHSMEGDAWgBRm3WjLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8BAf8EBAMCBs\
                AwEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0RAQH/BBMwEYEPYmRjQGV4YW1wbGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHda/\
                r1vaL6G3VliL4/Di6YK0Q6bMjeSkC3dFCOOB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBVoU4hBVZ1yhk=:
                Signature-Input: ttrp=("@path" "@query" "@method" "@authority" "client-cert");created=1618884473;key\
                id="test-key-ecc-p256"
                Signature: ttrp=:xVMHVpawaAC/0SbHrKRs9i8I3eOs5RtTMGCWXm/9nvZzoHsIg6Mce9315T6xoklyy0yzhD9ah4JHRwMLOgm\
                izw==:

                {"hello": "world"}
                """
        ),
        MessageVector(
            section: "B.4",
            label: "transform",
            key: .ed25519,
            base: """
                "@method": GET
                "@path": /demo
                "@authority": example.org
                "accept": application/json, */*
                "@signature-params": ("@method" "@path" "@authority" "accept");created=1618884473;keyid="test-key-ed\
                25519"
                """,
            message: """
                GET /demo?name1=Value1&Name2=value2 HTTP/1.1
                Host: example.org
                Date: Fri, 15 Jul 2022 14:24:55 GMT
                Accept: application/json
                Accept: */*
                Signature-Input: transform=("@method" "@path" "@authority" "accept");created=1618884473;keyid="test-\
                key-ed25519"
                Signature: transform=:ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m\
                0pmj3NDA==:


                """
        ),
    ]
}
