#if canImport(FoundationNetworking)
/// An authority, two certificates for localhost and 127.0.0.1 that it has issued, and revocation lists. They are valid
/// until 2124.
enum RevocationFixture {
    /// The authority.
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBnzCCAUagAwIBAgIUG2HGOIBJaqMNBthRJLCigF6cvlgwCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXV0aG9yaXR5IG9mIGEgdGVzdDAgFw0yNjExMjgyMDE4MjRa
        GA8yMTI2MTEwNDIwMTgyNFowHjEcMBoGA1UEAwwTQXV0aG9yaXR5IG9mIGEgdGVz
        dDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPxW5+OjnAXdmGE2DGUbJYCJBTyl
        nN4DguXPWyQOX3AFLCsfMNcpKBS85BDgjrnNVDEHk38YmZ520jPmGwPhpt2jYDBe
        MB0GA1UdDgQWBBTTmJctK9XeZfHI4tb3WoXX6md/KzAfBgNVHSMEGDAWgBTTmJct
        K9XeZfHI4tb3WoXX6md/KzAPBgNVHRMBAf8EBTADAQH/MAsGA1UdDwQEAwIBBjAK
        BggqhkjOPQQDAgNHADBEAiB/P/COCIV8x2ybxwC9amLgz9IiC9zCwEDFydHshfi+
        xwIgVsafqmby+Y9m9ZqWmkcIlVmn/3pfDdDhsTTv8lypEqI=
        -----END CERTIFICATE-----
        """

    /// A certificate of the authority.
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBlTCCATqgAwIBAgIUYw+YmdpMYkyrF7VPYo09ucrQ6nIwCgYIKoZIzj0EAwIw
        HjEcMBoGA1UEAwwTQXV0aG9yaXR5IG9mIGEgdGVzdDAgFw0yNDAxMDEwMDAwMDBa
        GA8yMTI0MDEwMTAwMDAwMFowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZI
        zj0CAQYIKoZIzj0DAQcDQgAElRnKxcT80c56YK6dkLXrDysYnNs5TDD/foXXDILb
        Tbx6EroMRyTpn+c6Jl2g57cScWLBrk6uvrZLpgI5//WA9aNeMFwwGgYDVR0RBBMw
        EYIJbG9jYWxob3N0hwR/AAABMB0GA1UdDgQWBBSqF9mV2NCKiouocNEkgoZrFmu4
        ezAfBgNVHSMEGDAWgBTTmJctK9XeZfHI4tb3WoXX6md/KzAKBggqhkjOPQQDAgNJ
        ADBGAiEAxBXfXd9T7JvvRFOW+xJgbvieh9dBmAQCi2IambiHVScCIQDxqEPDCwmy
        7yDksx5a7nXQGN37JpnPje4fCDwUfs28Pw==
        -----END CERTIFICATE-----
        """

    /// The key of the certificate.
    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgk0D+u0fSVdL8ACoQ
        Roemp+cVIdSsr1+2nO8v4GhXXkChRANCAASVGcrFxPzRznpgrp2QtesPKxic2zlM
        MP9+hdcMgttNvHoSugxHJOmf5zomXaDntxJxYsGuTq6+tkumAjn/9YD1
        -----END PRIVATE KEY-----
        """

    /// A list of the authority, without certificates.
    static let emptyList = """
        -----BEGIN X509 CRL-----
        MIGjMEwwCgYIKoZIzj0EAwIwHjEcMBoGA1UEAwwTQXV0aG9yaXR5IG9mIGEgdGVz
        dBcNMjQwMTAxMDAwMDAwWhgPMjEyNDAxMDEwMDAwMDBaMAoGCCqGSM49BAMCA0cA
        MEQCIA5gja/+O6TUh6ZlOS+wtiQT/xZe7x8pkcKorhrMyJuvAiAySQBUdFUxcYFx
        cqw6YLp7aOofzE+RRW9HS8mok0b7+Q==
        -----END X509 CRL-----
        """

    /// A list of the authority, with the certificate.
    static let list = """
        -----BEGIN X509 CRL-----
        MIHNMHUwCgYIKoZIzj0EAwIwHjEcMBoGA1UEAwwTQXV0aG9yaXR5IG9mIGEgdGVz
        dBcNMjQwMTAxMDAwMDAwWhgPMjEyNDAxMDEwMDAwMDBaMCcwJQIUYw+YmdpMYkyr
        F7VPYo09ucrQ6nIXDTI2MTEyODIwMTgyNFowCgYIKoZIzj0EAwIDSAAwRQIhANwB
        EbKXDQ7JVDs6GWBa8RJybbUkaHME6A/4EkBYL0pTAiB7rHrjXSBkvDOGtsHOsOPK
        eAmQKEq7bzuRm6RFk7G/7Q==
        -----END X509 CRL-----
        """

    /// A list of the authority that has expired.
    static let expiredList = """
        -----BEGIN X509 CRL-----
        MIGjMEowCgYIKoZIzj0EAwIwHjEcMBoGA1UEAwwTQXV0aG9yaXR5IG9mIGEgdGVz
        dBcNMjAwMTAxMDAwMDAwWhcNMjAwMjAxMDAwMDAwWjAKBggqhkjOPQQDAgNJADBG
        AiEAhOisY9JsObOF2aCD43SO19hfcpDc2qcUriVQNgqCMXQCIQCBaTVSWWqs/T4Z
        EQTreeZWs2ostS8OMbLE/FmmNE2XqQ==
        -----END X509 CRL-----
        """

    /// A list of another authority that has the same name.
    static let forgedList = """
        -----BEGIN X509 CRL-----
        MIGkMEwwCgYIKoZIzj0EAwIwHjEcMBoGA1UEAwwTQXV0aG9yaXR5IG9mIGEgdGVz
        dBcNMjQwMTAxMDAwMDAwWhgPMjEyNDAxMDEwMDAwMDBaMAoGCCqGSM49BAMCA0gA
        MEUCIFLWbWSLatQudCvEI99ZKBYfIYG3dAKQCuSJthSLz1OjAiEA25NuUTxQC6je
        VHiN33wG1VWnqMcJhZaMKoIkYa1pgvs=
        -----END X509 CRL-----
        """

    /// A list with the changes of another list, without certificates.
    static let deltaList = """
        -----BEGIN X509 CRL-----
        MIG7MGQCAQEwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0Fw0yNjEx
        MjgyMzM1MThaGA8yMTI2MTEwNDIzMzUxOFqgHTAbMA0GA1UdGwEB/wQDAgEBMAoG
        A1UdFAQDAgECMAoGCCqGSM49BAMCA0cAMEQCIE8OA3RjGcr0EmO/oxNqhPE45Qcv
        BOp3v94sLSwpw+0tAiBW+vtHRlcuXBMoVoyhojUsrU17G/earSj6D2eeVGFVFQ==
        -----END X509 CRL-----
        """

    /// A certificate with each kind of name.
    static let named = """
        -----BEGIN CERTIFICATE-----
        MIICbjCCAhOgAwIBAgIGAIEjRWeJMAoGCCqGSM49BAMCMGcxCzAJBgNVBAYTAkRF
        MREwDwYDVQQKDAjDhCwgSW5jLjEQMA4GA1UECwwHIGEjYitjIDETMBEGA1UEAwwK
        eD0ieSI7PHo+XDEeMBwGCSqGSIb3DQEJARYPYWRhQGV4YW1wbGUuY29tMCAXDTI2
        MTEyODIwMTgyNFoYDzIxMjYxMTA0MjAxODI0WjBnMQswCQYDVQQGEwJERTERMA8G
        A1UECgwIw4QsIEluYy4xEDAOBgNVBAsMByBhI2IrYyAxEzARBgNVBAMMCng9Inki
        Ozx6PlwxHjAcBgkqhkiG9w0BCQEWD2FkYUBleGFtcGxlLmNvbTBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABFT9HKthR7pjYUXaRr27C7TrS3pv9XBt1+i/LBxCUfzc
        ymQNmDZhsVkJDRqyD55Z0kMYasAIEoD9iUeVwXQ1gZWjgagwgaUwdgYDVR0RBG8w
        bYIJbG9jYWxob3N0gg0qLmV4YW1wbGUuY29thwTAAAIHhxAgAQ24AAAAAAAAAAAA
        AAABhhxzcGlmZmU6Ly9leGFtcGxlLmNvbS9zZXJ2aWNlgQ9hZGFAZXhhbXBsZS5j
        b22gCgYDKgMEoAMMAXgwDAYDVR0TAQH/BAIwADAdBgNVHQ4EFgQUyh43Rs3XKVZl
        8TNGhUSB5ou1CEcwCgYIKoZIzj0EAwIDSQAwRgIhAKDQ+AMCdJ0KjFkTPuOsGQ1I
        T4dfY7BZ4l7c5u2c7b5zAiEAkmFpWVvHkjbn3bAz/ruXcWrmAA4N/3gTXudcOka5
        4BI=
        -----END CERTIFICATE-----
        """
}
#endif
